import { exitCodes, FileError, UsageError, type Command, type Parsed, type Terminal } from './command.ts'
import { parseQuickly } from './parse-quickly.ts'
import { render } from '../project/render.ts'
import { audit } from '../run/audit.ts'
import { check } from '../inspect/check.ts'
import { explain } from '../inspect/explain.ts'
import { ffmpeg } from '../project/ffmpeg.ts'
import { replay } from '../inspect/replay.ts'
import { run } from '../run/run.ts'
import { serve } from '../serve/serve.ts'

const commands: readonly Command[] = [serve, run, check, explain, audit, replay, render, ffmpeg]

/**
 * Parses a command line and runs its command.
 *
 * @param words the arguments, without program and script.
 * @returns the exit code. Nothing here touches the process.
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const parsed = parseQuickly(words, commands) ?? (await explained(words, terminal))
    if (typeof parsed !== 'string') return await parsed.command.run(parsed.flags, terminal)
    terminal.print(parsed)
    return exitCodes.ok
  } catch (error) {
    const { message } = error as Error
    if (error instanceof UsageError) return failed(exitCodes.usage, message)
    if (error instanceof FileError) return failed(exitCodes.badFile, message)
    return failed(exitCodes.cannotStart, `greenroom failed: ${message}`)
  }

  async function explained(asked: readonly string[], where: Terminal): Promise<Parsed | string> {
    const { parseAndExplain } = await import('./parse-and-explain.ts')
    return parseAndExplain(asked, commands, where)
  }

  function failed(code: number, message: string): number {
    terminal.warn(message)
    return code
  }
}
