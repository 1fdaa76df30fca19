import type * as z from 'zod/mini'
import type { ApiSettings } from '../../engine/operations/operation-table.ts'
import { defineApi, type Api, type TaskKind } from '../define/api.ts'
import { toApi } from './api.ts'
import type { ApiDefinition } from './kit/definition.ts'
import type { ServedApi } from './served.ts'

/** What an API of the gateway has besides its definition: what clients and docs need. */
export interface GatewayFacts<Settings extends Partial<ApiSettings> = Partial<ApiSettings>> extends Omit<
  Api<string, Settings>,
  'name' | 'operations' | 'kinds' | 'title' | 'readSettings'
> {
  /** Completes the kind of its jobs. */
  readonly kind?: (kind: TaskKind) => TaskKind
  /** The hosts that webhooks may call; undefined if they are off. Default: `webhooks` of the options. */
  readonly webhookHosts?: ServedApi['hostsOf']
}

/** The names of the operations of a definition. */
export type OperationNames<Definition extends ApiDefinition> = `${Definition extends {
  readonly prefix: infer Prefix extends string
}
  ? Prefix
  : Definition['name']}.${(keyof Definition['operations'] & string) | WebhookName<Definition>}`

type WebhookName<Definition extends ApiDefinition> = Definition extends {
  readonly webhook: { readonly name: infer Name extends string }
}
  ? Name
  : never

/** The settings of the quirks of a definition. */
export interface QuirkSettings<Definition extends ApiDefinition> {
  readonly quirks: {
    [Name in keyof Definition['quirks']]: Definition['quirks'][Name] extends {
      readonly values: readonly (infer Value extends string)[]
    }
      ? z.ZodMiniOptional<z.ZodMiniLiteral<Value>>
      : never
  }
}

/** Defines a job API of the gateway itself, in the words of `greenroom/api`. */
export function defineJobs<
  const Definition extends ApiDefinition,
  Settings extends Partial<Omit<ApiSettings, 'quirks'>>,
>(
  definition: Definition,
  facts: GatewayFacts<Settings>,
): Api<OperationNames<Definition>, Settings & QuirkSettings<Definition>> {
  const { settings, exploration, kind = (each) => each, webhookHosts, ...more } = facts
  const made = toApi(definition, webhookHosts ? { webhookHosts } : {})
  const { quirks } = made.settings ?? {}
  return defineApi({
    ...made,
    ...more,
    ...(made.kinds && { kinds: made.kinds.map(kind) }),
    settings: { ...settings, ...(quirks && { quirks }) },
    exploration: {
      ...exploration,
      variants: [...made.exploration!.variants!, ...(exploration?.variants ?? [])],
    },
  }) as unknown as Api<OperationNames<Definition>, Settings & QuirkSettings<Definition>>
}
