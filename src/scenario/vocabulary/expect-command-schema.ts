import * as z from 'zod/mini'
import { may, must, named, orField, refusing } from '../schema/fields.ts'
import { patternProblem } from '../schema/patterns.ts'
import { text, wholeNumber } from '../schema/values.ts'

/** A text that the command writes to one of its streams. */
const output = z.lazy(() =>
  z
    .strictObject({
      contains: may(text(1), 'A part of the output.', 'task failed'),
      matches: may(
        text(1, 200).check(refusing((source) => patternProblem(source))),
        'A regular expression that one of the lines must match.',
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
        'The path, relative to the working folder or to the folder of the scenario. The file must be inside one of them.',
        'out/video.mp4',
      ),
      sha256: may(
        z.string().check(z.regex(/^[0-9a-fA-F]{64}$/, 'write 64 hexadecimal digits')),
        'The SHA-256 of the file, in hexadecimal.',
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ),
      equals: may(text(0, 1_000_000), 'The text of the file.', 'done'),
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
          z.union([wholeNumber(0, 255), z.enum(['nonzero', 'any'])]),
          'The exit code. `nonzero` is any code except 0, but no signal; `any` is every end. Default: 0.',
          1,
          'nonzero',
          'any',
        ),
        stdout: may(output, 'The text that the command writes to standard output.', {
          contains: 'task failed',
        }),
        stderr: may(output, 'The text that the command writes to standard error.', {
          matches: '^Error: .+$',
        }),
        file: may(file, 'A file that the command must write during the run.', { path: 'out/video.mp4' }),
      })
      .check(
        refusing((command) =>
          Object.keys(command).length === 0
            ? 'it expects nothing. Write exit, stdout, stderr or file'
            : undefined,
        ),
      ),
    'What the command after `greenroom run … --` must do: end with an exit code, print a text, or write a file.',
    { exit: 'nonzero', stdout: { contains: 'task failed' } },
  ),
)

/** The end of the command, by a word or in detail. */
export const commandExpectation = z.lazy(() => orField(z.enum(['passes', 'fails', 'any']), expectCommand))
