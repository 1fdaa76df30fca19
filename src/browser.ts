// The entry for pages: the names of index.ts, with media that a browser makes.
export type * from './index.ts'

export {
  createSimulator,
  explore,
  loadScenario,
  type BrowserOptions,
  type BrowserSimulator,
} from './embedded/browser-simulator.ts'
export { defineConfig } from './simulator/options.ts'
export { defineScenario, parseScenario } from './embedded/scenarios.ts'
export { operations } from './apis/index.ts'

export { ExploreError } from './embedded/explore-options.ts'
export { ImageRefused, RenderFailed } from './media/source.ts'
export { ClockError } from './engine/clock/clock-settings.ts'
export { ControlError } from './control/route.ts'
export { DurationError } from './engine/clock/duration.ts'
export { LifecycleError } from './engine/tasks/lifecycle.ts'
export { PatternError } from './scenario/schema/sequence-pattern.ts'
export { QuirkError } from './gateway/quirks.ts'
export { RuleError } from './scenario/rules/check-rule.ts'
export { ScenarioError } from './files/error.ts'
export { SettingsError } from './scenario/options.ts'
export { StateError } from './control/state.ts'
export { TextSettingsError } from './text/pace.ts'
export { TransitionError } from './engine/tasks/tasks.ts'
export { VerdictError } from './embedded/watched-run.ts'

export { version } from './version.ts'
