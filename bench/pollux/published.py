"""Published scaling curves of training, next to convoy's prediction from figures of one node.

Nothing is fitted to a point that is predicted. Assumptions that are the same for all curves, fixed before
any was compared:

- a worker's computing takes what the source's figure of one GPU, or of one node, says;
- a NIC carries 85 % of its nominal rate: 80 to 90 % is the best case of ml-engineering (744d01e), network;
- each step of a ring takes NCCL's latency of its tuning model (5067397): 14 us between nodes, inside one
  5.7 us by PCI Express and 3.4 us by NVLink;
- Horovod adds gradients in buckets of 64 MiB, its fusion buffer of the time; others in 25 MiB.
"""
import clock

NIC = 0.85 / 8          # 1e9 bytes a second for each nominal Gbit/s
HOROVOD, OTHERS = 64 << 20, 25 << 20


class Curve:
    def __init__(self, name, net, batch, known, published, link, bucket, node=1):
        self.name, self.net, self.batch, self.known, self.published = name, net, batch, known, published
        self.link, self.bucket = link, bucket
        self.node = node    # GPUs of a worker that is a whole node

    def predict(self, gpus):
        """Samples a second of so many GPUs."""
        of, rate = self.known
        seconds = self.batch * of / rate
        workers, batch = gpus // self.node, self.batch * self.node
        c = clock.Clock(self.net, "imagenet", 200 * workers)
        machine = ["--compute-s", repr(seconds), "--delay", "constant", "--host-copy-s", "0", "--overlap", "true",
                   "--link", self.link, "--sim-bucket", str(self.bucket)]
        return workers * batch / c.seconds(machine, [workers], [batch])[workers, batch]


def roce(gbit, node, latency, inside):
    return (f"nic:node={node},nics=1,bandwidth_GBps={gbit * NIC:.6g},latency_s=14e-6,"
            f"node_GBps={inside},node_latency_s={latency}")


CURVES = [
    Curve("ResNet-50, 8 K80 a host, 10 Gbit/s, parameter servers on the hosts (TensorFlow)", "resnet50", 64,
          (8, 378), {16: 751, 32: 1388, 64: 2744},
          f"nic:bandwidth_GBps={10 * NIC:.6g},latency_s=14e-6", OTHERS, node=8),
    Curve("ResNet-50, 8 V100 a host, 25 Gbit/s (horovod#779)", "resnet50", 256,
          (8, 6679), {16: 12828, 32: 23870, 64: 47195, 128: 89783}, roce(25, 8, 3.4e-6, 150), HOROVOD),
    Curve("ResNet-101, 4 P100 a host, 25 Gbit/s RoCE (Horovod)", "resnet101", 64,
          (1, 119.4), {16: 1746.2, 512: 0.90 * 512 * 119.4}, roce(25, 4, 5.7e-6, 12), HOROVOD),
    Curve("VGG-16, 4 P100 a host, 25 Gbit/s RoCE (Horovod)", "vgg16", 64,
          (1, 130.9), {16: 1787.4, 512: 0.68 * 512 * 130.9}, roce(25, 4, 5.7e-6, 12), HOROVOD),
    Curve("ResNet-101, 8 V100 a host, 40 Gbit/s RoCE (horovod#416)", "resnet101", 64,
          (4, 650.92), {16: 2379.56}, roce(40, 8, 5.7e-6, 12), HOROVOD),
]


def main():
    for curve in CURVES:
        of, rate = curve.known
        print(curve.name)
        print(f"  {'GPUs':>5} {'published':>10} {'predicted':>10} {'off %':>7}   images/s; known: {of} of {rate:g}")
        for gpus, published in curve.published.items():
            predicted = curve.predict(gpus)
            print(f"  {gpus:>5} {published:>10.5g} {predicted:>10.5g} {100 * (predicted / published - 1):>+7.1f}")


main()
