/** The lifecycles of the APIs, for tests of the engine that follow real tasks. */
export { drawingLifecycle } from '../../src/apis/drawing/lifecycle.ts'
export { videoLifecycle } from '../../src/apis/video/lifecycle.ts'
