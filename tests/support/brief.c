/* Short rounds of algorithms whose defaults are long. */
#include "tests/support/brief.h"

#include <stddef.h>
#include <string.h>

/* All whose steps are not those of serial SGD alone; with the options that make them short. */
static const char *const brief[] = {
	"downpour", "easgd", "eamsgd", "ia2sgd", "dana", "local-adam", "slowmo:period=2,beta=0.2",
	"diloco:period=2,outer_momentum=0.2", "eager-diloco:period=2,outer_momentum=0.2",
	"streaming-diloco:period=2,fragments=1,outer_momentum=0.2",
	"noloco:period=2,outer_momentum=0.2", "fedbuff:period=2,buffer=3",
	"ca2fl:period=2,buffer=1", "fadas:period=2,buffer=3,outer_lr=0.05",
	"halos:period=2,local_lr=0.4,local_momentum=0.2,every=3,global_lr=1,global_momentum=0.2",
	"async-local-sgd:period=2,outer_momentum=0.2",
	("decoupled-diloco:period=3,fragments=3,delay=1,quorum=0,average=mean,outer_lr=1,"
	 "outer_momentum=0"),
	"gpa:mu_x=0.5,mu_y=0.5", "des-loc:period=2",
	"palsgd:period=2,pull=0.25,outer_lr=0.7,outer_momentum=0.2",
	"sparseloco:period=2,chunk=4,top=3,bits=8", "mla:period=2,outer_momentum=0.2",
	"heloco:period=2,outer_momentum=0.2",
	"demo:side=3,top=9,decay=0.5",
};

static const char *brief_find(const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(brief) / sizeof(*brief); i++)
		if (strncmp(brief[i], name, n) == 0 && (brief[i][n] == ':' || !brief[i][n]))
			return brief[i];
	return NULL;
}

const char *brief_algo(const char *name)
{
	const char *text = brief_find(name);

	return text ? text : name;
}

const char *brief_optim(const char *name, const char *optim)
{
	return strcmp(name, "local-adam") ? optim : "adam";
}

bool brief_is_no_sgd(const char *name)
{
	return brief_find(name) != NULL;
}
