// Embedding.
export { createSimulator, type EmbeddedOptions, type NodeSimulator } from './embedded/create-simulator.ts'
export type { EmbeddedSimulator, PlayingOptions } from './embedded/embedded.ts'
export { explore } from './embedded/create-simulator.ts'
export {
  ExploreError,
  type ExploredClient,
  type ExploredGateway,
  type ExploreOptions,
} from './embedded/explore-options.ts'
export type { Exploration, Finding } from './judge/explore/index.ts'
export type { NamespaceHandle } from './embedded/namespace-handle.ts'
export type { ClockHandle, HoldHandle, ParticipantHandle } from './embedded/clock-handle.ts'
export { defineConfig, type SimulatorOptions } from './simulator/options.ts'
export type { ConfigFile } from './scenario/vocabulary/types.ts'
export type { Middleware } from './transports/middleware/middleware.ts'
export type { HandlerOptions, HttpMaker } from './transports/msw/msw.ts'
export type { UnknownPathCallback, UnknownPathStrategy } from './transports/msw/msw.ts'

// Scripting.
export { defineScenario, loadScenario, parseScenario, type LoadOptions } from './embedded/scenarios.ts'
export type { LoadedScenario } from './files/types.ts'
export type { Scenario, ScenarioConfig } from './scenario/vocabulary/types.ts'
export { ScenarioError, type Position } from './files/error.ts'
export type { ListedRule } from './scenario/rules/rule.ts'
export type {
  Attempt,
  MediaShape,
  Respond,
  Rule,
  RuleMatch,
  TaskMatch,
  RuleWindow,
  ScriptedAnswer,
  StreamShape,
  ValueMatch,
} from './scenario/vocabulary/types.ts'
export type { Fault, FaultType } from './scenario/faults/index.ts'
export type { Throttle } from './scenario/vocabulary/types.ts'
export type { DriveStep } from './scenario/vocabulary/types.ts'
export type { Expect } from './scenario/vocabulary/types.ts'
export type { InvariantName } from './scenario/vocabulary/types.ts'
export type {
  Audit,
  InvariantReport,
  FiredRules,
  JudgedTask,
  Judgement,
  Result,
  RunTiming,
  Verdict,
} from './judge/index.ts'
export type { WatchedRun } from './embedded/watched-run.ts'
export { VerdictError, type WordedVerdict } from './embedded/watched-run.ts'
export type { LifecycleDefinition, StateDefinition } from './engine/tasks/lifecycle.ts'
export type { TaskShape, TimelineStep } from './engine/tasks/plan-task.ts'
export type { DurationSpec } from './engine/random/distribution.ts'
export type { KeyRecord } from './scenario/vocabulary/types.ts'
export type { Price } from './scenario/vocabulary/types.ts'
export type { RateOptions } from './scenario/vocabulary/types.ts'
export type { Profile, Quirks } from './scenario/vocabulary/types.ts'
export type { Timing, TimingOption, TimingOptions } from './scenario/vocabulary/types.ts'
export type { ModelSettings } from './scenario/vocabulary/types.ts'
export type { TextOptions, TextTimingOption } from './scenario/vocabulary/types.ts'
export type { BlockReason, Finish, FixedAnswer, TextTiming } from './text/spec.ts'
export { operations, type Operation, type OperationPattern } from './apis/index.ts'
export type { Role } from './engine/operations/facts.ts'
export type { OwnApis } from './engine/operations/own-api.ts'

// Looking.
export type { KeyUsage } from './gateway/accounts/account.ts'
export type { Health, NamespaceSummary } from './control/control.ts'
export type { InvariantState } from './control/core.ts'
export type { StreamBatch, StreamEvent, StreamHello } from './control/events/stream-events.ts'
export type { Advanced } from './control/clock.ts'
export type { TaskSummary } from './control/tasks.ts'
export type { Assumption, ClockMode, ClockStatus, HoldStatus, Stuck } from './engine/clock/clock-settings.ts'
export type { JournalEntry, JournalFilter, Outcome } from './gateway/journal.ts'
export type { SimulatorEvent } from './engine/tasks/events.ts'
export type { Amendment, Plan, Step, TaskRecord } from './engine/tasks/plan.ts'

export type { Snapshot } from './control/state.ts'

// For media of your own.
export {
  ImageRefused,
  RenderFailed,
  type EncoderStatus,
  type Media,
  type MediaSource,
  type ReceivedImage,
} from './media/source.ts'
export type { ClipSpec, FileSpec, ImageReference, Quality } from './media/spec.ts'

// Errors.
export { ClockError } from './engine/clock/clock-settings.ts'
export { ControlError } from './control/route.ts'
export { DurationError } from './engine/clock/duration.ts'
export { LifecycleError } from './engine/tasks/lifecycle.ts'
export { PatternError } from './scenario/schema/sequence-pattern.ts'
export { QuirkError } from './gateway/quirks.ts'
export { RuleError } from './scenario/rules/check-rule.ts'
export { SettingsError } from './scenario/options.ts'
export { StateError } from './control/state.ts'
export { TextSettingsError } from './text/pace.ts'
export { TransitionError } from './engine/tasks/tasks.ts'

export { version } from './version.ts'
