import { isObject } from '../engine/is-object.ts'
import * as z from 'zod/mini'
import { operationsWith } from '../apis/index.ts'
import { SettingsError } from '../scenario/options.ts'
import { configSchema } from '../scenario/vocabulary/config-schema.ts'
import { embeddedClockSchema } from '../scenario/vocabulary/options-schema.ts'
import { forEachSettings, withOperations } from '../scenario/schema/known-names.ts'
import { firstMistake } from '../scenario/schema/mistakes.ts'

/** A key whose value is checked where it is read, with an error class of its own. */
export const checkedLater = z.optional(z.any())
export const someFunction = z.custom<(...args: never) => unknown>(
  (value) => typeof value === 'function',
  'must be a function',
)
export const anyFunction = z.optional(someFunction)

/** Keys that only code can set, and keys of the config file that code may set otherwise. */
const embeddedShape = () => ({
  clock: z.optional(embeddedClockSchema),
  profile: checkedLater,
  quirks: checkedLater,
  rules: z.optional(z.array(z.any())),
  throttles: z.optional(z.array(z.any())),
  media: z.optional(z.looseObject({})),
  onWarning: anyFunction,
  deliver: anyFunction,
})

/**
 * Makes a check of the options of callers without a compiler. A parsed config file is valid, too. The check makes its schema
 * on first use.
 *
 * @param own keys beyond the options of every simulator.
 * @returns a function that throws a {@link SettingsError} for an unknown key, or a value that the vocabulary doesn't allow.
 */
export function optionsCheck(own: z.core.$ZodShape = {}): (options: unknown) => void {
  const schemaFor = forEachSettings((settings) =>
    z.extend(configSchema({ settings }), { ...embeddedShape(), ...own }),
  )
  return (options) => {
    const operations = operationsWith((options as { readonly apis?: unknown } | undefined)?.apis)
    const schema = schemaFor(operations)
    const given = withoutInfinity(options)
    if (withOperations(operations, () => fits(given, schema.shape))) return
    const mistake = firstMistake(schema, given, operations)
    if (mistake !== undefined) throw new SettingsError(`Failed to read the options: ${mistake}`)
  }
}

/** Whether every given key is known and has a valid value. The schema of the whole would make those of all missing keys, too. */
function fits(options: unknown, shape: Readonly<Record<string, z.ZodMiniType>>): boolean {
  if (!isObject(options)) return false
  return Object.entries(options).every(
    ([key, value]) => Object.hasOwn(shape, key) && shape[key]!.safeParse(value).success,
  )
}

/** Checks the options of every simulator. */
export const checkOptions = optionsCheck()

/** In code, `Infinity` removes a limit. */
function withoutInfinity(options: unknown): unknown {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options
  const { limits, retention } = options as Record<string, unknown>
  return {
    ...options,
    ...(isObject(limits) && { limits: finite(limits) }),
    ...(isObject(retention) && { retention: finite(retention) }),
  }
}

function finite(group: object): object {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== Infinity))
}
