import { exitCodes, wordsOf, type Command } from '../terminal/command.ts'

/** `greenroom replay`: the same requests must get the same decisions. */
export const replay: Command = {
  name: 'replay',
  summary: 'ask all of a recorded file again, and compare every decision',
  words: { name: 'journal', describe: 'A file that --journal has made', least: 1, most: 1 },
  options: {},
  epilogue: `Each request is asked at its own instant, of a gateway made of the same options. Reports to notifyHook are not
sent again, and what was changed from inside the process is not in the file.

Exit codes: ${exitCodes.expectationFailed} something was decided otherwise, ${exitCodes.badFile} the file can't be read.`,
  run: async (flags, terminal) => {
    const { replayFile } = await import('./replay-file.ts')
    return replayFile(wordsOf(flags)[0]!, terminal)
  },
}
