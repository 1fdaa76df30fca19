import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may } from '../../scenario/schema/fields.ts'
import { upstreamError } from '../../gateway/replies/errors.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import {
  defineOperation,
  describeRequest,
  type Behaviour,
  type NamedFacts,
  type Operation,
} from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { contentOfUser, lastText, show } from '../text/fields.ts'
import { messagesKeyPlace } from '../text/anthropic/key.ts'
import { refuseMessage, upstreamWords } from '../text/anthropic/refuse.ts'

/** The version of requests that name none. */
const defaultVersion = '2023-06-01'

/** The version that took sampling out of requests. */
const latestVersion = '2026-10-21'

const versionHeader = once(() =>
  z.object({
    'anthropic-version': may(
      z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)),
      "Anthropic's own API requires it.",
      defaultVersion,
    ),
  }),
)

/** An operation with what all of this API have in common: where the key is, the version, the envelope of refusals. */
export function defineMessages<const Name extends string, Prepared, Input, Schema extends z.ZodMiniType>(
  facts: NamedFacts<Name, Schema>,
  behave: (core: Core) => Behaviour<Prepared, Input, z.output<Schema>>,
): Operation<Name> {
  return defineOperation(
    { schema: () => ({ headers: versionHeader() }), ...facts },
    (core): Behaviour<Prepared, Input, z.output<Schema>> => {
      const { check, ...behaviour } = behave(core)
      return {
        keys: { place: `the header ${messagesKeyPlace.name}` },
        refuse: refuseMessage,
        describe: ({ body: { model, messages } }) =>
          describeRequest(model, lastText(messages, contentOfUser)),
        ...behaviour,
        check: (x) => {
          checkVersion(x)
          check?.(x)
        },
      }
    },
  )
}

/**
 * @assumed §4.9 the version is undocumented; the vendor's page on versions. Its service requires one, gateways add it.
 * @throws {GatewayError} for a version that is no date.
 */
function checkVersion(x: Exchange): void {
  const version = versionOf(x)
  if (/^\d{4}-\d{2}-\d{2}$/.test(version)) return
  const message = `anthropic-version: ${show(version)} is not a valid version. Use ${defaultVersion} or ${latestVersion}.`
  throw upstreamError(400, message, upstreamWords(400))
}

function versionOf(x: Exchange): string {
  return x.header('anthropic-version').trim() || defaultVersion
}

/** What to say of a request that only the gateway takes: without a version, or with what its version no longer has. */
export function versionNotes(x: Exchange): string[] {
  if (x.header('anthropic-version') === '') {
    return [
      `The header anthropic-version is missing, which Anthropic's own API refuses: send ${defaultVersion}.`,
    ]
  }
  const removed = ['temperature', 'top_p', 'top_k'].find((name) => name in x.body)
  if (removed === undefined || versionOf(x) < latestVersion) return []
  return [`Anthropic's own API refuses ${removed} since version ${latestVersion}: leave it out.`]
}
