import { expect, it } from 'vitest'
import type * as z from 'zod/mini'
import type { Scenario } from '../../../src/embedded/scenarios.ts'
import type { TaskShape } from '../../../src/engine/tasks/plan-task.ts'
import type { DurationSpec } from '../../../src/engine/random/distribution.ts'
import type { DriveStep } from '../../../src/scenario/drive.ts'
import type { Fault, FaultType } from '../../../src/scenario/faults/index.ts'
import type { Throttle } from '../../../src/scenario/throttles/throttle.ts'
import type {
  Attempt,
  MediaShape,
  Respond,
  Rule,
  RuleMatch,
  RuleWindow,
  StreamShape,
  ValueMatch,
} from '../../../src/scenario/rules/rule.ts'
import type {
  mediaSchema,
  respondSchema,
  streamSchema,
} from '../../../src/scenario/vocabulary/answer-schema.ts'
import type { driveSchema } from '../../../src/scenario/vocabulary/scenario-schema.ts'
import type { expectSchema } from '../../../src/scenario/vocabulary/expect-schema.ts'
import type { faultName, faultObject } from '../../../src/scenario/faults/index.ts'
import type { throttleSchema } from '../../../src/scenario/vocabulary/throttle-schema.ts'
import type {
  matchSchema,
  plainValueMatch,
  windowSchema,
} from '../../../src/scenario/vocabulary/match-schema.ts'
import type { attemptSchema, ruleSchema } from '../../../src/scenario/vocabulary/rule-schema.ts'
import type { scenarioSchema } from '../../../src/scenario/vocabulary/scenario-schema.ts'
import type { taskSchema } from '../../../src/scenario/vocabulary/rule-schema.ts'
import type { FileScenario } from '../../../src/scenario/files/types.ts'
import type { Plain } from '../../../src/scenario/schema/fields.ts'
import type { durationSpec } from '../../../src/scenario/schema/values.ts'
import type { Expect } from '../../../src/judge/expectations/expect.ts'

/** Each key must be there: a key that only one side knows is found by this, where "may be left out" would hide it. */
type Whole<Value> = Value extends readonly (infer Item)[]
  ? readonly Whole<Item>[]
  : Value extends object
    ? { [Key in keyof Value]-?: Whole<Value[Key]> }
    : Value

type Fits<One, Other> = [One] extends [Other] ? true : false

/** Whether two types are the same: as they are, and with all their keys. */
type Same<One, Other> = [
  Fits<One, Other>,
  Fits<Other, One>,
  Fits<Whole<One>, Whole<Other>>,
  Fits<Whole<Other>, Whole<One>>,
] extends [true, true, true, true]
  ? true
  : false

type Says<Schema extends z.ZodMiniType> = Plain<z.output<Schema>>

it('says in the schema what the types say, and the other way round', () => {
  // The compiler is the judge: a key on one side only makes `true` unassignable.
  const same: {
    duration: Same<Says<typeof durationSpec>, Plain<DurationSpec>>
    value: Same<Says<typeof plainValueMatch>, Plain<Exclude<ValueMatch, { not: ValueMatch }>>>
    match: Same<Says<typeof matchSchema>, Plain<RuleMatch>>
    window: Same<Says<typeof windowSchema>, Plain<RuleWindow>>
    faultName: Same<Says<typeof faultName>, FaultType>
    fault: Same<Says<typeof faultObject>, Plain<Fault>>
    respond: Same<Says<typeof respondSchema>, Plain<Respond>>
    stream: Same<Says<typeof streamSchema>, Plain<StreamShape>>
    media: Same<Says<typeof mediaSchema>, Plain<MediaShape>>
    task: Same<Says<typeof taskSchema>, Plain<TaskShape>>
    attempt: Same<Says<typeof attemptSchema>, Plain<Attempt>>
    rule: Same<Says<typeof ruleSchema>, Plain<Rule>>
    throttle: Same<Says<typeof throttleSchema>, Plain<Throttle>>
    drive: Same<Says<typeof driveSchema>, Plain<DriveStep>>
    expect: Same<Says<typeof expectSchema>, Plain<Expect>>
    config: Same<NonNullable<Says<typeof scenarioSchema>['config']>, Plain<NonNullable<Scenario['config']>>>
    scenario: Same<FileScenario, Plain<Scenario>>
  } = {
    duration: true,
    value: true,
    match: true,
    window: true,
    faultName: true,
    fault: true,
    respond: true,
    stream: true,
    media: true,
    task: true,
    attempt: true,
    rule: true,
    throttle: true,
    drive: true,
    expect: true,
    config: true,
    scenario: true,
  }
  expect(Object.values(same)).not.toContain(false)
})

it('finds a key that only one side knows', () => {
  const different: { optional: Same<{ a?: 1 }, { a?: 1; b?: 2 }>; branch: Same<1 | { a: 1 }, 1> } = {
    optional: false,
    branch: false,
  }
  expect(Object.values(different)).not.toContain(true)
})
