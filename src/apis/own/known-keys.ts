import type { ApiDefinition } from '../jobs/kit/definition.ts'

/** The keys whose values are objects with keys of their own. */
type Group = 'states' | 'timing' | 'defaults' | 'keys' | 'refusals' | 'webhook'

/** No value fits a key that a definition does not have: the compiler names it. A type parameter alone accepts any key. */
export type KnownKeys<Given> = {
  readonly [Key in keyof Given]: Key extends keyof ApiDefinition
    ? Key extends Group
      ? KeysOf<Given[Key], NonNullable<ApiDefinition[Key]>>
      : Key extends 'error'
        ? SyncCall<Given[Key]>
        : unknown
    : never
}

type KeysOf<Given, Known> = Given extends object
  ? { readonly [Key in keyof Given]: Key extends keyof Known ? SyncCall<Given[Key]> : never }
  : unknown

type SyncCall<Given> = Given extends (...call: never[]) => PromiseLike<unknown>
  ? "Functions of a definition can't be async"
  : unknown
