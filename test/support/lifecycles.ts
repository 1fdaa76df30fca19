/** The lifecycles of the APIs, for tests of the engine that follow real tasks. */
import { drawingApi } from '../../src/apis/drawing/api.ts'
import { videoApi } from '../../src/apis/video/api.ts'
export const drawingLifecycle = drawingApi.kinds![0]!.lifecycle
export const videoLifecycle = videoApi.kinds![0]!.lifecycle
