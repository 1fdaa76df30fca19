import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { accountOf } from '../../gateway/accounts/billing.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { videoTokens } from '../../gateway/accounts/prices.ts'
import type { Context } from '../../gateway/route.ts'
import type { VideoRequest } from './request.ts'
import type { VideoSettings } from './settings.ts'
import { recordVideo } from './task.ts'

/**
 * Submits a task that its key can pay for. What it costs is set aside; a task that fails gives it back.
 *
 * @param remixedFrom the id of the video that it is a remix of.
 * @throws {GatewayError} for a key that can't pay.
 */
export function submitVideo(
  request: VideoRequest,
  context: Context,
  lifecycle: Lifecycle,
  settings: VideoSettings,
  remixedFrom?: string,
): Task {
  const { model, seconds, size } = request
  const framesPerSecond = settings.framesPerSecond.full
  const output = videoTokens({ ...size, seconds, framesPerSecond })
  const tokens = { input: 0, output }
  const quota = context.billing.quotaFor(model, { task: true, seconds, tokens })
  const account = accountOf(context)
  const shortage = account.shortage(quota, context.now)
  if (shortage) throw taskError(403, shortage.code, shortage.message)
  const task = context.tasks.submit(recordVideo(request, context, lifecycle, settings, quota, remixedFrom))
  account.charge({ quota, task, seconds }, context.now)
  context.journal.task = task.record.id
  return task
}
