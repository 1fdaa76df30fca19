import { didYouMean } from '../../engine/did-you-mean.ts'
import { fitsGlob } from '../../engine/glob.ts'
import {
  aCount,
  aFlag,
  aList,
  aMapping,
  aText,
  checkedLater,
  kind,
  listOf,
  mappingOf,
  oneOf,
  orMapping,
  problemIn,
  type Kind,
  type KindsOf,
} from '../../engine/kinds.ts'
import { operations } from '../../engine/operations/operations.ts'
import { faultTypes } from '../../scenario/faults/index.ts'
import { invariantNames } from '../../scenario/invariant-names.ts'
import { SettingsError } from '../../apis/video/settings.ts'
import {
  channels,
  type Allowances,
  type AlwaysExpectation,
  type ArtifactExpectation,
  type CommandExpectation,
  type Expect,
  type QuietExpectation,
  type RequestExpectation,
  type RuleExpectation,
  type SequenceExpectation,
  type TaskExpectation,
} from './expect.ts'

/** What an expectation of an operation that isn't there would be: always so, or never. */
const anOperation: Kind = (value, name) => {
  const unknown = [value].flat().find((op) => !operations.some((known) => fitsGlob(String(op), known)))
  if (unknown === undefined) return undefined
  return `${name} is ${JSON.stringify(unknown)}, which is no operation.${didYouMean(String(unknown), operations)}`
}

const anExitCode = kind(
  'a whole number from 0 to 255, or "nonzero"',
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255,
)
const howMany = orMapping((value, name) => (value === 0 ? undefined : aCount(value, name)))
const aChannel = oneOf(...channels)

const aTask = mappingOf<TaskExpectation>({
  channel: aChannel,
  op: anOperation,
  model: aText,
  nth: aCount,
  status: checkedLater,
  reason: checkedLater,
  elapsed: aMapping,
  count: howMany,
  each: aFlag,
})

const matchKinds = {
  equals: checkedLater,
  glob: aText,
  contains: aText,
  regex: aText,
  in: aList,
  exists: aFlag,
  not: (value: unknown, name: string): string | undefined => aValueMatch(value, name),
}

/** A value match that compares nothing would fail inside a request. */
const aValueMatch: Kind = (value, name) => {
  if (typeof value !== 'object' || value === null) return undefined
  const kinds = { ...matchKinds, ...('regex' in value && { flags: aText }) }
  const problem = mappingOf<Record<string, unknown>>(kinds)(value, name)
  if (problem !== undefined || Object.keys(matchKinds).some((key) => key in value)) return problem
  return `${name} compares nothing. Give ${Object.keys(matchKinds).join(', ')}.`
}

const someValueMatches: Kind = (value, name) =>
  aMapping(value, name) ?? firstIn(value as object, name, aValueMatch)

const aRequest = mappingOf<RequestExpectation>(
  {
    op: anOperation,
    channel: aChannel,
    taskNth: aCount,
    model: aText,
    nth: aCount,
    status: checkedLater,
    outcome: oneOf('completed', 'aborted', 'failed'),
    content: oneOf('complete', 'partial', 'altered'),
    stream: aMapping,
    ttfb: aMapping,
    body: someValueMatches,
    headers: someValueMatches,
    query: someValueMatches,
    rule: aText,
    fault: oneOf(...faultTypes),
    count: howMany,
    each: aFlag,
    saw: aList,
  },
  'op',
)

const aQuiet = mappingOf<QuietExpectation>(
  { op: anOperation, channel: aChannel, taskNth: aCount, after: aText, for: aText },
  'op',
  'after',
  'for',
)

const expectKinds: KindsOf<Expect> = {
  tasks: listOf(aTask),
  requests: listOf(aRequest),
  artifacts: listOf(
    mappingOf<ArtifactExpectation>(
      { channel: aChannel, taskNth: aCount, downloaded: oneOf('intact', 'any', 'never') },
      'channel',
      'downloaded',
    ),
  ),
  sequence: (value, name) => (typeof value === 'string' ? undefined : someSequences(value, name)),
  rules: (value, name) => aMapping(value, name) ?? firstIn(value as object, name, aFiredRule),
  quiet: listOf(aQuiet),
  always: listOf(
    orMapping(
      oneOf(...invariantNames),
      mappingOf<AlwaysExpectation>(
        { name: oneOf(...invariantNames), min: aText, max: aText, optional: aFlag },
        'name',
      ),
    ),
  ),
  sometimes: listOf(
    mappingOf<{ task: unknown; request: unknown; rule: unknown; fired: unknown }>({
      task: aTask,
      request: aRequest,
      rule: aText,
      fired: howMany,
    }),
  ),
  within: checkedLater,
  command: mappingOf<CommandExpectation>({
    exit: (value, name) => (value === 'nonzero' ? undefined : anExitCode(value, name)),
    stdout: mappingOf<NonNullable<CommandExpectation['stdout']>>({ contains: aText, matches: aText }),
    file: mappingOf<NonNullable<CommandExpectation['file']>>(
      { path: aText, sha256: aText, equals: aText },
      'path',
    ),
  }),
  allow: mappingOf<Allowances>({
    unmatched: aFlag,
    unusedRules: aFlag,
    notExercised: aFlag,
    notApplicable: aFlag,
    approximated: aFlag,
  }),
}

const someSequences = listOf(
  mappingOf<SequenceExpectation>({ channel: aChannel, taskNth: aCount, is: aText }, 'is'),
)
const aFiredRule = mappingOf<RuleExpectation>({ fired: howMany }, 'fired')

function firstIn(values: object, name: string, kind: Kind): string | undefined {
  for (const [key, value] of Object.entries(values)) {
    const problem = kind(value, `${name}.${key}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

/**
 * Finds in expectations of plain JavaScript what nobody would look at: a run would pass for it.
 * @throws {SettingsError} for a name that nobody knows, or a value that can't be.
 */
export function checkExpect(expect: unknown): void {
  const problem = problemIn(expect, expectKinds)
  if (problem !== undefined) throw new SettingsError(`Failed to read what is expected: ${problem}`)
}
