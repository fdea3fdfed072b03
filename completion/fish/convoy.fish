# Completion of convoy for fish, which asks 'convoy complete'.
function __convoy_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l found ($words[1] complete $words[2..-1] "$word" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$word"
    end
end
complete -c convoy -f -a '(__convoy_complete)'
