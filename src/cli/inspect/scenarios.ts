import { listShipped } from '../run/shipped.ts'
import { exitCodes, type Command } from '../terminal/command.ts'

/** `greenroom scenarios`: the scenarios of the package. */
export const scenarios: Command = {
  options: {
    json: { type: 'boolean', describe: 'Print JSON, with the path of each file' },
  },
  epilogue: [
    'Use a name in place of a file: greenroom run lost-polls -- npm test, or greenroom serve --scenario lost-polls.',
  ],
  examples: [
    ['greenroom scenarios', 'list names to use in place of files'],
    ['greenroom run lost-polls', 'play one of them'],
  ],
  run: async ({ flags }, { print }) => {
    const shipped = listShipped()
    const width = Math.max(...shipped.map(({ name }) => name.length))
    print(
      flags['json'] === true
        ? JSON.stringify(shipped, null, 2)
        : shipped.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`).join('\n'),
    )
    return exitCodes.ok
  },
}
