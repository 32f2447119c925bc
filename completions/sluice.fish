# Completion of sluice for fish. Put into ~/.config/fish/config.fish: sluice completion fish | source
function __sluice_complete
    set -l tokens (commandline -opc) (commandline -ct)
    set -l out (command $tokens[1] __complete -- $tokens[2..-1] 2>/dev/null)
    test (count $out) -gt 0; or return
    set -l directive $out[-1]
    if test (count $out) -gt 1
        printf '%s\n' $out[1..-2]
    else if test "$directive" = ':0'
        # After --option= it is a file that is looked for, too.
        set -l parts (string match -r '^((?:--[^=]+=)?)(.*)$' -- (commandline -ct))
        printf '%s\n' "$parts[2]"(__fish_complete_path "$parts[3]")
    end
end
complete -c sluice -f -a '(__sluice_complete)'
