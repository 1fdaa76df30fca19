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
import type { apis } from '../src/apis/index.ts'
import type { ApiSettings } from '../src/engine/operations/operation-table.ts'
import type { fixedAnswer, textTiming } from '../src/scenario/vocabulary/config-schema-text.ts'
import type { taskSchema } from '../src/scenario/vocabulary/rule-schema.ts'
import type { driveSchema, scenarioSchema } from '../src/scenario/vocabulary/scenario-schema.ts'
import type { modelSettings } from '../src/scenario/vocabulary/options-schema.ts'
import type {
  ConfigFile,
  DriveStep,
  ModelSettings,
  Quirks,
  Scenario,
  ScenarioConfig,
} from '../src/scenario/vocabulary/types.ts'
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

/** The keys that all APIs bring to one place: the intersection of the union of what each brings. */
type Brought<Place extends keyof ApiSettings> = (
  NonNullable<(typeof apis)[number]['settings']> extends infer Each
    ? Each extends Readonly<Record<Place, infer Keys>>
      ? (keys: Keys) => void
      : never
    : never
) extends (keys: infer All extends ApiSettings[Place]) => void
  ? All
  : never

type Strict<Shape extends z.core.$ZodShape> = Output<z.ZodMiniObject<Shape, z.core.$strict>>

type Config = Strict<ReturnType<typeof configShape<{ [Place in keyof ApiSettings]: Brought<Place> }>>>

/** What a schema with keys of APIs describes. */
type Described<Make extends (table: never) => z.ZodMiniObject, Place extends keyof ApiSettings> = Strict<
  {
    [
      Key in keyof ReturnType<Make>['shape'] as string extends Key ? never : Key
    ]: ReturnType<Make>['shape'][Key]
  } & Brought<Place>
>

/** Compared one by one: in the config, their keys are any. */
type Nested = 'quirks' | 'models'

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
    config: Same<Omit<Config, Nested>, Omit<Plain<ConfigFile>, Nested>>
    quirks: Same<Strict<Brought<'quirks'>>, Plain<Partial<Quirks>>>
    model: Same<Described<typeof modelSettings, 'models'>, Plain<ModelSettings>>
    // The config of a scenario has the keys of the config file, whose types are above.
    scenario: Same<
      Omit<Output<ReturnType<typeof scenarioSchema>>, 'config' | 'drive'>,
      Omit<Plain<Scenario>, 'config' | 'drive'>
    >
    step: Same<Described<typeof driveSchema, 'steps'>, Plain<DriveStep>>
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
    quirks: true,
    model: true,
    step: true,
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
