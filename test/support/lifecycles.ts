/** The lifecycles of the APIs, for tests of the engine that follow real tasks. */
export { drawingLifecycle } from '../../src/apis/drawing/lifecycle.ts'
import { videoApi } from '../../src/apis/video/api.ts'
export const videoLifecycle = videoApi.kinds![0]!.lifecycle
