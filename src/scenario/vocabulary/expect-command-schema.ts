import * as z from 'zod/mini'
import { may, must, named, refusing } from './fields.ts'
import { patternProblem } from '../rules/match/patterns.ts'
import { text, wholeNumber } from './values.ts'

const stdout = z.lazy(() =>
  z
    .strictObject({
      contains: may(text(1), 'A part of the text.', 'task failed'),
      matches: may(
        text(1, 200).check(refusing((source) => patternProblem(source))),
        'A regular expression that is found in one of the lines, without look-around and back-references.',
        '^failed: .+$',
      ),
    })
    .check(
      refusing(({ contains, matches }) =>
        contains === undefined && matches === undefined
          ? 'it expects nothing. Write contains or matches'
          : undefined,
      ),
    ),
)

const file = z.lazy(() =>
  z
    .strictObject({
      path: must(
        text(1, 1_000),
        'Relative to the working folder, or else to the folder of the scenario. It must lie inside one of them.',
        'out/video.mp4',
      ),
      sha256: may(
        z.string().check(z.regex(/^[0-9a-fA-F]{64}$/, 'write 64 hexadecimal digits')),
        'The SHA-256 of its bytes, in hexadecimal.',
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ),
      equals: may(text(0, 1_000_000), 'Its text.', 'done'),
    })
    .check(
      refusing(({ sha256, equals }) =>
        sha256 !== undefined && equals !== undefined
          ? 'sha256 and equals both describe the content. Leave one out'
          : undefined,
      ),
    ),
)

export const expectCommand = z.lazy(() =>
  named(
    'expectCommand',
    z
      .strictObject({
        exit: may(
          z.union([wholeNumber(0, 255), z.literal('nonzero')]),
          'The exit code; `nonzero` is any code except 0, and no signal. Default: 0.',
          1,
          'nonzero',
        ),
        stdout: may(stdout, 'The text that the command writes to standard output.', {
          contains: 'task failed',
        }),
        file: may(file, 'A file that the command must write during the run.', { path: 'out/video.mp4' }),
      })
      .check(
        refusing((command) =>
          Object.keys(command).length === 0 ? 'it expects nothing. Write exit, stdout or file' : undefined,
        ),
      ),
    'The end of the command after `--` in `greenroom run`: its exit code, its output, and a file that it writes.',
    { exit: 'nonzero', stdout: { contains: 'task failed' } },
  ),
)
