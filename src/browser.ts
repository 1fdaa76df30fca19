// What a page imports: the names of index.ts, with media that a browser makes.
export type * from './index.ts'

export { createSimulator, type BrowserOptions, type BrowserSimulator } from './browser-simulator.ts'
export { defineConfig } from './options.ts'
export { defineScenario, parseScenario } from './scenarios.ts'
export { loadScenario } from './no-files.ts'
export { operations } from './engine/operation.ts'

export { ImageRefused, RenderFailed } from './media/source.ts'
export { ClockError } from './engine/clock-settings.ts'
export { ControlError } from './control/control.ts'
export { DurationError } from './engine/duration.ts'
export { LifecycleError } from './engine/lifecycle.ts'
export { ScenarioError } from './scenario-file/error.ts'
export { TransitionError } from './engine/tasks.ts'

export { version } from './version.ts'
