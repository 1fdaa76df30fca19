/**
 * The gateway's operations. Rules, journal, verdicts and docs call them by these names, which survive a
 * change of path.
 */
export const operations = [
  'video.submit',
  'video.poll',
  'video.content',
  'videos.create',
  'videos.retrieve',
  'videos.remix',
  'videos.list',
  'videos.delete',
] as const

export type Operation = (typeof operations)[number]
