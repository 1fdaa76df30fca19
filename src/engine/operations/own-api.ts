/**
 * An API that `defineApi` of `greenroom/api` returns.
 *
 * @example
 * const namesOf = (apis: readonly OwnApi[]): string[] => apis.map(({ name }) => name)
 * namesOf([]) // → []
 */
export interface OwnApi {
  readonly name: string
  readonly operations: object
}

/**
 * The APIs of your program, for the compiler: `sim.next`, matchers and expectations then know the names of their operations
 * and the kinds of their jobs.
 *
 * @example
 * // In the file that defines them: declare module 'greenroom/api' { interface OwnApis { acme: typeof acme } }
 * const names: (keyof OwnApis)[] = []
 * names // → []
 */
export interface OwnApis {}

/** What the names of the operations of an API begin with. */
type PrefixOf<Definition> = Definition extends { readonly prefix: infer Prefix extends string }
  ? Prefix
  : Definition extends { readonly name: infer Name extends string }
    ? Name
    : never

/** The operations of an API, with the download of those that define none. */
type NamesIn<Definition> = Definition extends { readonly operations: infer Operations }
  ? `${PrefixOf<Definition>}.${(keyof Operations & string) | 'output'}`
  : never

/** The names of the operations of {@link OwnApis}. */
export type OwnOperation = { [Key in keyof OwnApis]: NamesIn<OwnApis[Key]> }[keyof OwnApis]

/** The kinds of the jobs of {@link OwnApis}. */
export type OwnKind = {
  [Key in keyof OwnApis]: OwnApis[Key] extends { readonly name: infer Name extends string } ? Name : never
}[keyof OwnApis]

type QuirksIn<Definition> = Definition extends { readonly quirks: infer Quirks } ? Quirks : never
type QuirkNames<Quirks> = Quirks extends unknown ? keyof Quirks & string : never
type QuirkValues<Quirks, Name extends string> = Quirks extends {
  readonly [Each in Name]: { readonly values: readonly (infer Value)[] }
}
  ? Value
  : never

/** The values of the quirks of {@link OwnApis}. */
export type OwnQuirks = {
  [Name in QuirkNames<QuirksIn<OwnApis[keyof OwnApis]>>]: QuirkValues<QuirksIn<OwnApis[keyof OwnApis]>, Name>
}

/** What the messages of errors in a definition begin with. */
export const definitionStart = 'The definition of '

/** Whether the message of an internal error is about the definition of an API. */
export function isDefinitionError(message: string): boolean {
  return message.startsWith(definitionStart)
}
