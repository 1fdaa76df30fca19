import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { must } from '../../scenario/schema/fields.ts'
import { anyObject, filledText } from '../../scenario/schema/json-values.ts'

/**
 * Where a prompt may be cached. Nothing is cached here.
 * @assumed §4.9 caching is undocumented; `CacheControlEphemeral` of the vendor's SDK.
 */
export const cacheControl = once(() =>
  z.optional(
    z.nullable(z.object({ type: z.literal('ephemeral'), ttl: z.optional(z.nullable(z.enum(['5m', '1h']))) })),
  ),
)

/** A block of content; each may end a cached part. */
export const blockOf = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.object({ ...shape, cache_control: cacheControl() })

/** The sentence for a value that a check of the schema refuses. Any other misfit gets the usual words. */
const unless =
  (isRight: (input: unknown) => boolean, sentence: string) =>
  ({ input }: { readonly input?: unknown }): string | undefined =>
    isRight(input ?? undefined) ? undefined : sentence

const isMissing = (input: unknown): boolean => input === undefined
const noContent = unless(isMissing, '{field}: Input should be a string or an array of blocks, not {value}')

/** A text, or blocks. */
export const textOr = <Block extends z.ZodMiniType>(block: Block) =>
  z.union([z.string(), z.array(block)], { error: noContent })

export const textBlock = once(() =>
  blockOf({
    type: z.literal('text', {
      error: unless(
        (input) => input !== undefined && typeof input !== 'string',
        "{field}: Input should be 'text', not {value}",
      ),
    }),
    text: z.string().check(z.minLength(1, '{holder}: text content blocks must be non-empty')),
    citations: z.optional(z.nullable(z.array(z.unknown()))),
  }),
)

/** An image URL is not fetched, and files are not stored: both count like any other image. */
const imageBlock = once(() =>
  blockOf({
    type: z.literal('image'),
    source: z.union([
      z.object({
        type: z.literal('base64'),
        media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
        data: must(filledText, 'An image in base64.'),
      }),
      z.object({
        type: z.literal('url'),
        url: z
          .string()
          .check(
            z.minLength(1),
            z.regex(/^https?:\/\/\S+$/i, '{field}: Only HTTP and HTTPS URLs are supported'),
          ),
      }),
      z.object({ type: z.literal('file') }),
    ]),
  }),
)

const thinkingBlock = once(() =>
  blockOf({
    type: z.literal('thinking'),
    thinking: z.string(),
    signature: must(z.string(), 'As the response had it.'),
  }),
)

const redactedBlock = once(() => blockOf({ type: z.literal('redacted_thinking') }))

/** Blocks of the vendor's own tools and containers. Clients send them back with the conversation, where they are ignored. */
const ignoredBlock = once(() =>
  blockOf({
    type: z.pipe(
      z
        .string()
        .check(
          z.minLength(1),
          z.regex(
            /^(?:server_tool_use|mcp_tool_use|container_upload|compaction|fallback|\w+_tool_result|tool_reference|browser_state)$/,
            "{holder}: Input tag {value} found using 'type' does not match any of the expected tags: text, image, " +
              'document, search_result, thinking, redacted_thinking, tool_use, tool_result',
          ),
        ),
      z.transform(() => 'ignored' as const),
    ),
  }),
)

const documentBlock = once(() =>
  blockOf({
    type: z.literal('document'),
    source: z.union([
      z.object({ type: z.literal('text'), data: filledText }),
      z.object({
        type: z.literal('content'),
        content: textOr(
          z.union([textBlock(), imageBlock(), thinkingBlock(), redactedBlock(), ignoredBlock()]),
        ),
      }),
      z.object({ type: z.enum(['base64', 'url', 'file']), media_type: z.optional(z.string()) }),
    ]),
  }),
)

const searchResult = once(() =>
  blockOf({
    type: z.literal('search_result'),
    title: filledText,
    content: textOr(textBlock()),
  }),
)

const plainBlock = once(() =>
  z.union([
    textBlock(),
    imageBlock(),
    documentBlock(),
    searchResult(),
    thinkingBlock(),
    redactedBlock(),
    ignoredBlock(),
  ]),
)

/** A block of a result of a tool, and of a message as well. */
export type PlainBlock = z.output<ReturnType<typeof plainBlock>>

const givenBlock = once(() =>
  z.union([
    ...plainBlock().def.options,
    blockOf({ type: z.literal('tool_use'), id: filledText, name: filledText, input: anyObject }),
    blockOf({
      type: z.literal('tool_result'),
      tool_use_id: must(filledText, 'A use of a tool in the message before.'),
      content: z.optional(textOr(plainBlock())),
    }),
  ]),
)

/** A block of a message. */
export type GivenBlock = z.output<ReturnType<typeof givenBlock>>

/** The refusal of a message without content. */
export const emptyContent =
  'all messages must have non-empty content except for the optional final assistant message'
const isFilled = z.minLength(1, `{holder}: ${emptyContent}`)

export const message = once(() =>
  z.union([
    z.object({
      role: z.literal('user'),
      content: z.union([z.string().check(isFilled), z.array(givenBlock()).check(isFilled)], {
        error: noContent,
      }),
    }),
    z.object({
      role: z.literal('assistant'),
      content: must(textOr(givenBlock()), 'Empty in the last message only.'),
    }),
    z.object({ role: z.literal('system'), content: textOr(textBlock()) }),
  ]),
)
