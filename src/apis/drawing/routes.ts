import type { Route } from '../../gateway/route.ts'
import { proxyRoutes } from './images/proxy-calls.ts'
import { fetchRoute, filmRoute, imageRoute, listRoute, seedRoute, uploadedRoute } from './read.ts'
import { actionRoute } from './submit/action.ts'
import { blendRoute } from './submit/blend.ts'
import { changeRoute, simpleChangeRoute } from './submit/change.ts'
import { describeRoute } from './submit/describe.ts'
import { editsRoute } from './submit/edits.ts'
import { imagineRoute } from './submit/imagine.ts'
import { modalRoute } from './submit/modal.ts'
import { shortenRoute } from './submit/shorten.ts'
import { swapRoute } from './submit/swap.ts'
import { uploadRoute } from './submit/upload.ts'
import { videoRoute } from './submit/video.ts'
import type { DrawingTasks } from './task.ts'

/** The drawing channel (§4.4–4.6), with and without a mode in the path. */
export function drawingRoutes(tasks: DrawingTasks): Route[] {
  const { settings } = tasks
  return [
    ...submissions.map((route) => route(tasks)),
    fetchRoute(),
    listRoute(),
    seedRoute(settings),
    imageRoute(),
    filmRoute(),
    uploadedRoute(),
    ...proxyRoutes(),
  ]
}

const submissions = [
  imagineRoute,
  actionRoute,
  changeRoute,
  simpleChangeRoute,
  blendRoute,
  describeRoute,
  modalRoute,
  shortenRoute,
  editsRoute,
  videoRoute,
  swapRoute,
  uploadRoute,
]
