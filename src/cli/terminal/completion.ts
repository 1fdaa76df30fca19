import { completionFlag, exitCodes, UsageError, type Command } from './command.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** Stands in the output for the files of the working folder, which shells list themselves. */
export const filesMark = ':files'

const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of greenroom for bash. Add to ~/.bashrc:  source <(greenroom completion bash)
_greenroom() {
  local IFS=$'\\n' word="\${COMP_WORDS[COMP_CWORD]}" found
  found=$(greenroom ${completionFlag} bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=($(compgen -W "\${found/${filesMark}/}" -- "$word"))
  case "$found" in *${filesMark}*) COMPREPLY+=($(compgen -f -- "$word")) ;; esac
}
complete -o filenames -F _greenroom greenroom`,
  zsh: `#compdef greenroom
# Completion of greenroom for zsh. Add to ~/.zshrc, after compinit:  source <(greenroom completion zsh)
_greenroom() {
  local -a found
  found=("\${(@f)$(greenroom ${completionFlag} zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  (( \${found[(I)${filesMark}]} )) && _files
  found=("\${(@)found:#${filesMark}}")
  [[ -n "$found" ]] && _describe greenroom found
}
compdef _greenroom greenroom`,
  fish: `# Completion of greenroom for fish. Write it to ~/.config/fish/completions/greenroom.fish
function __greenroom_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (greenroom ${completionFlag} fish $words[2..-1] 2>/dev/null)
        if test $line = ${filesMark}
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c greenroom -f -a '(__greenroom_complete)'`,
}

/** `greenroom completion`: a script for a shell. */
export const completion: Command = {
  argumentHelp: `One of ${shells.join(', ')}`,
  options: {},
  epilogue: [
    'The script calls the greenroom on your PATH. For one that is installed in a project only, define greenroom() { npx greenroom "$@"; } in your shell first.',
    `Exit codes: ${exitCodes.usage} no such shell.`,
  ],
  examples: [
    ['source <(greenroom completion bash)', 'complete in this bash; add the line to ~/.bashrc for all'],
    ['greenroom completion fish > ~/.config/fish/completions/greenroom.fish', 'complete in fish'],
  ],
  run: async ({ args }, { print }) => {
    const shell = shells.find((each) => each === args[0])
    if (!shell)
      throw new UsageError(`There is no completion for "${args[0]}". Use one of ${shells.join(', ')}.`)
    print(scripts[shell])
    return exitCodes.ok
  },
}
