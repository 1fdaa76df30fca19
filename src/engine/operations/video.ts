import type { OperationFacts } from './facts.ts'

/** The gateway's own video API (§4.1–4.3). @assumed §4.3 HEAD is undocumented; wire §5 proposes it. */
export const videoOperations = {
  'video.submit': { kind: 'submit', tasks: 'video', route: 'POST /v1/video/generations' },
  'video.poll': ofVideo('poll', 'GET /v1/video/generations/{task_id}'),
  'video.content': ofVideo('download', 'GET HEAD /v1/videos/{task_id}/content'),
} as const satisfies Readonly<Record<string, OperationFacts>>

/** OpenAI's Videos API over the same tasks. It has no download of its own: `video.content` has the path of both. */
export const openaiVideoOperations = {
  'videos.create': { kind: 'submit', tasks: 'video', route: 'POST /v1/videos' },
  'videos.retrieve': ofVideo('poll', 'GET /v1/videos/{task_id}'),
  'videos.remix': ofVideo('submit', 'POST /v1/videos/{task_id}/remix'),
  'videos.list': { kind: 'read', tasks: 'video', route: 'GET /v1/videos', option: 'video.listAndDelete' },
  'videos.delete': { ...ofVideo('change', 'DELETE /v1/videos/{task_id}'), option: 'video.listAndDelete' },
} as const satisfies Readonly<Record<string, OperationFacts>>

function ofVideo(kind: OperationFacts['kind'], route: string): OperationFacts {
  return { kind, tasks: 'video', task: 'task_id', route }
}
