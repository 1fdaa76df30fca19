import type { OperationFacts } from './facts.ts'

/** The drawing channel (§4.4–4.6), and what the stand-alone proxies add to it. */
export const drawingOperations = {
  'mj.imagine': drawing('submit', 'POST /mj/submit/imagine'),
  'mj.action': { ...drawing('submit', 'POST /mj/submit/action'), task: 'body' },
  'mj.change': { ...drawing('submit', 'POST /mj/submit/change'), task: 'body' },
  'mj.simple-change': { ...drawing('submit', 'POST /mj/submit/simple-change'), task: 'body' },
  'mj.blend': drawing('submit', 'POST /mj/submit/blend'),
  'mj.describe': drawing('submit', 'POST /mj/submit/describe'),
  'mj.modal': { ...drawing('change', 'POST /mj/submit/modal'), task: 'body' },
  'mj.shorten': drawing('submit', 'POST /mj/submit/shorten'),
  'mj.edits': drawing('submit', 'POST /mj/submit/edits'),
  'mj.video': drawing('submit', 'POST /mj/submit/video'),
  'mj.upload': drawing('change', 'POST /mj/submit/upload-discord-images'),
  'mj.swap': drawing('submit', 'POST /mj/insight-face/swap'),
  'mj.fetch': { ...drawing('poll', 'GET /mj/task/{id}/fetch'), task: 'id' },
  'mj.list': drawing('read', 'POST /mj/task/list-by-condition'),
  'mj.seed': { ...drawing('read', 'GET /mj/task/{id}/image-seed'), task: 'id' },
  'mj.image': { ...drawing('download', 'GET HEAD /mj/image/{id}'), task: 'id', access: 'public' },
  'mj.film': {
    kind: 'download',
    route: 'GET HEAD /mj/video/{id}/{file}',
    tasks: 'drawing',
    task: 'id',
    access: 'public',
  },
  'mj.uploaded': { kind: 'read', tasks: 'drawing', route: 'GET HEAD /mj/uploaded/{file}', access: 'public' },
  'mj.all': { kind: 'read', tasks: 'drawing', route: 'GET /mj/task/list', option: 'drawing.proxyCalls' },
  'mj.queue': { kind: 'read', tasks: 'drawing', route: 'GET /mj/task/queue', option: 'drawing.proxyCalls' },
  'mj.cancel': {
    kind: 'change',
    route: 'POST /mj/task/{id}/cancel',
    tasks: 'drawing',
    task: 'id',
    hasNoBody: true,
    option: 'drawing.proxyCalls',
  },
} as const satisfies Readonly<Record<string, OperationFacts>>

/** An operation whose path may also name a mode. */
function drawing(kind: OperationFacts['kind'], route: string): OperationFacts {
  return { kind, tasks: 'drawing', route, aliases: pathsWithMode(route.slice(route.indexOf('/mj/') + 3)) }
}

/**
 * The same path with a mode in front, in each of the ways that clients write it.
 * @assumed §9 modes in the path are undocumented; wire §7.1.
 */
function pathsWithMode(path: string): string[] {
  const modes = ['fast', 'relax', 'turbo']
  return [`/{mode}/mj${path}`, ...modes.flatMap((mode) => [`/mj-${mode}${path}`, `/mj-${mode}/mj${path}`])]
}
