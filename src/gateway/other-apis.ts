import { nearest } from '../engine/did-you-mean.ts'
import type { Route } from './exchange.ts'

const videos = 'Videos are made by POST /v1/video/generations (video.submit).'
const images = 'Images are made by POST /mj/submit/imagine (mj.imagine).'
const texts = 'Texts are written by POST /v1/chat/completions (chat.complete).'
const embeddings = 'Embeddings are made by POST /v1beta/models/{model}:embedContent (text.embed).'
const videoPolls = 'Videos are polled by GET /v1/video/generations/{task_id} (video.poll).'

/** Paths of APIs that clients expect and the gateway doesn't have, with what it has instead. */
export const otherApis: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^\/v1\/images\/(?:generations|edits|variations)\/?$/, images],
  [/^\/v1\/(?:responses|completions|messages)(?:\/|$)/, texts],
  [/^\/v1\/embeddings\/?$/, embeddings],
  [/^\/v1(?:beta)?\/models\/[^/]+(?::|%3A)predictLongRunning$/i, videos],
  [/^\/v1(?:beta)?\/models\/[^/]+(?::|%3A)(?:predict|generateImages?)$/i, images],
  [/^\/v1(?:beta)?\/(?:models\/[^/]+\/)?operations\/[^/]+$/, videoPolls],
]

/** What to call in place of a path of another API; undefined for all other paths. */
export function otherApiHint(path: string): string | undefined {
  return otherApis.find(([pattern]) => pattern.test(path))?.[1]
}

const actionOfModel = /^\/v1(?:beta)?\/(?:models\/){1,2}[^/:]+(?::|%3A|\/)([A-Za-z]\w*)\/?$/i
const actionPattern = /^\/v1beta\/models\/\{model\}:(\w+)$/

/** Which actions models have, where a path names another one; undefined for all other paths. */
export function unknownActionHint(
  routes: readonly Route[],
  method: string,
  path: string,
): string | undefined {
  const [, action] = (method === 'POST' && actionOfModel.exec(path)) || []
  if (action === undefined) return undefined
  const byAction = new Map(
    routes.flatMap((route): [string, Route][] => {
      const [, known] = actionPattern.exec(route.path) ?? []
      return known === undefined ? [] : [[known, route]]
    }),
  )
  const meant = byAction.get(nearest(action, [...byAction.keys()]) ?? '')
  if (meant) return `Did you mean ${method} ${meant.path} (${meant.operation})?`
  return `Models have no action "${action.slice(0, 60)}". Known are ${[...byAction.keys()].join(', ')}.`
}
