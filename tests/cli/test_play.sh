# QUICK
# convoy play says where the page with the simulator is, opens it only if it is asked to, and then
# with the path as one word.
. "$(dirname "$0")/lib.sh"

mkdir -p "home;touch evil/web" bin
export CONVOY_HOME="$PWD/home;touch evil"
cp "$CONVOY" bin/convoy
CONVOY=$PWD/bin/convoy
"$CONVOY" play >out 2>err || says err "./dev web"      # one may be installed
echo page >"$CONVOY_HOME/web/convoy.html"
# A browser that notes what it is given.
printf '#!/bin/sh\nprintf "%%s\\n" "$#" "$1" >"%s/opened"\n' "$PWD" >bin/xdg-open
chmod +x bin/xdg-open
PATH=$PWD/bin:$PATH expect 0 play
is "$(cat out)" "$CONVOY_HOME/web/convoy.html"
says err "--open"
[ -e opened ] && fail "opened without being asked"
PATH=$PWD/bin:$PATH expect 0 play --open
is "$(cat opened)" "1
$CONVOY_HOME/web/convoy.html"
[ -e evil ] && fail "a shell has read the path"
printf '#!/bin/sh\nexit 3\n' >bin/xdg-open
PATH=$PWD/bin:$PATH expect 1 play --open
says err "Open the page in one yourself: $CONVOY_HOME"
one_line
rm bin/xdg-open
(PATH=$PWD/bin; "$CONVOY" play --open >out 2>err)
is $? 1
says err "xdg-utils"
one_line
expect 129 play page
says err "accepts options only"
finish
