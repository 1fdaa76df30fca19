import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { vocabularyTypes } from '../scripts/vocabulary-types.ts'
import type { DurationSpec } from '../src/engine/random/distribution.ts'
import type { LifecycleDefinition } from '../src/engine/tasks/lifecycle.ts'
import type { TaskShape } from '../src/engine/tasks/plan-task.ts'
import type { Fault, FaultType, faultName, faultObject } from '../src/scenario/faults/index.ts'
import type { Plain } from '../src/scenario/schema/fields.ts'
import type { durationSpec } from '../src/scenario/schema/values.ts'
import type { configShape } from '../src/scenario/vocabulary/config-schema.ts'
import type { lifecycleSetting } from '../src/apis/define/lifecycle-setting.ts'
import type { drawingOptions } from '../src/apis/drawing/settings.ts'
import type { videoOptions } from '../src/apis/video/settings.ts'
import type { fixedAnswer, textTiming } from '../src/scenario/vocabulary/config-schema-text.ts'
import type { taskSchema } from '../src/scenario/vocabulary/rule-schema.ts'
import type { scenarioSchema } from '../src/scenario/vocabulary/scenario-schema.ts'
import type { ConfigFile, Scenario, ScenarioConfig } from '../src/scenario/vocabulary/types.ts'
import type { FixedAnswer, TextTiming } from '../src/index.ts'

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

it('has types that are generated from the current schemas', () => {
  const types = vocabularyTypes(read('scripts/vocabulary-types.md'))
  expect(read('src/scenario/vocabulary/types.ts'), 'run npm run types').toBe(types)
})

/** Each key must be present: "optional" would hide a key that only one side has. */
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

type Output<Schema extends z.ZodMiniType> = Plain<z.output<Schema>>

type Config = z.ZodMiniObject<
  ReturnType<typeof configShape<typeof videoOptions & typeof drawingOptions>>,
  z.core.$strict
>

it('has the same types in schemas and in rooms without schemas', () => {
  // The compiler checks: a key on one side only makes `true` unassignable.
  const same: {
    duration: Same<Output<typeof durationSpec>, Plain<DurationSpec>>
    task: Same<Output<typeof taskSchema>, Plain<TaskShape>>
    lifecycle: Same<Output<typeof lifecycleSetting>, Plain<LifecycleDefinition>>
    faultName: Same<Output<typeof faultName>, FaultType>
    fault: Same<Output<typeof faultObject>, Plain<Fault>>
    answer: Same<Output<typeof fixedAnswer>, Plain<FixedAnswer>>
    pace: Same<Output<typeof textTiming>, Plain<TextTiming>>
    config: Same<Output<Config>, Plain<ConfigFile>>
    // The config of a scenario has the keys of the config file, whose types are above.
    scenario: Same<Omit<Output<ReturnType<typeof scenarioSchema>>, 'config'>, Omit<Plain<Scenario>, 'config'>>
    scenarioConfig: Same<Plain<ScenarioConfig>, Plain<Pick<ConfigFile, keyof ScenarioConfig>>>
  } = {
    duration: true,
    task: true,
    lifecycle: true,
    faultName: true,
    fault: true,
    answer: true,
    pace: true,
    config: true,
    scenario: true,
    scenarioConfig: true,
  }
  expect(Object.values(same)).not.toContain(false)
})

it('finds a key that only one side has', () => {
  const different: { optional: Same<{ a?: 1 }, { a?: 1; b?: 2 }>; branch: Same<1 | { a: 1 }, 1> } = {
    optional: false,
    branch: false,
  }
  expect(Object.values(different)).not.toContain(true)
})
