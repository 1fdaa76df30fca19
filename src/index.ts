// Embedding.
export { createSimulator, type EmbeddedOptions, type NodeSimulator } from './embedded/create-simulator.ts'
export type { EmbeddedSimulator, PlayingOptions } from './embedded/embedded.ts'
export type { NamespaceHandle } from './embedded/namespace-handle.ts'
export type { ClockHandle, HoldHandle, ParticipantHandle } from './embedded/clock-handle.ts'
export { defineConfig, type ConfigFile, type SimulatorOptions } from './simulator/options.ts'
export type { Middleware } from './doors/http-mount.ts'
export type { HandlerOptions, HttpMaker } from './doors/msw.ts'
export type { UnknownPathCallback, UnknownPathStrategy } from './doors/unknown-path.ts'

// Scripting.
export {
  defineScenario,
  loadScenario,
  parseScenario,
  type LoadedScenario,
  type Scenario,
  type ScenarioConfig,
} from './embedded/scenarios.ts'
export { ScenarioError, type Position } from './scenario-file/error.ts'
export type {
  Attempt,
  ListedRule,
  MediaShape,
  Respond,
  Rule,
  RuleMatch,
  TaskMatch,
  RuleWindow,
  StreamShape,
  ValueMatch,
} from './scenario/rule.ts'
export type { Fault, FaultType } from './scenario/fault.ts'
export type { Limit } from './scenario/limit.ts'
export type { DriveStep } from './scenario/drive.ts'
export type { Expect } from './verdict/expect.ts'
export type { Audit } from './verdict/audit.ts'
export type { InvariantName } from './scenario/invariant-names.ts'
export type { InvariantReport } from './verdict/invariant.ts'
export type { Judgement } from './verdict/judged.ts'
export type { JudgedTask, Result, Verdict } from './verdict/verdict.ts'
export type { WatchedRun } from './embedded/watched-run.ts'
export type { LifecycleDefinition, StateDefinition } from './engine/lifecycle.ts'
export type { TaskShape, TimelineStep } from './engine/task-shape.ts'
export type { DurationSpec } from './engine/distribution.ts'
export type { KeyRecord } from './gateway/keys.ts'
export type { Price } from './gateway/prices.ts'
export type { RateOptions } from './gateway/rates.ts'
export type { Profile, Quirks } from './gateway/quirks.ts'
export type { Pace, PaceOption, PaceOptions } from './surfaces/video/pace.ts'
export type { ModelSettings } from './surfaces/video/settings.ts'
export type { TextOptions, TextPaceOption } from './surfaces/text/settings.ts'
export type { BlockReason, Finish, FixedAnswer, TextPace } from './text/spec.ts'
export { operations, type Operation, type OperationPattern } from './engine/operation.ts'

// Looking.
export type { KeyUsage } from './gateway/account.ts'
export type { Advanced, Health, TaskSummary } from './control/control.ts'
export type { Assumption, ClockMode, ClockStatus, HoldStatus, Stuck } from './engine/clock-settings.ts'
export type { JournalEntry, JournalFilter, Outcome } from './gateway/journal.ts'
export type { SimulatorEvent } from './engine/events.ts'
export type { Amendment, Plan, Step, TaskRecord } from './engine/plan.ts'

export type { Snapshot } from './state/document.ts'

// Media of one's own.
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
export { ClockError } from './engine/clock-settings.ts'
export { ControlError } from './control/control.ts'
export { DurationError } from './engine/duration.ts'
export { KeyError } from './gateway/keys.ts'
export { LifecycleError } from './engine/lifecycle.ts'
export { PatternError } from './scenario/sequence-pattern.ts'
export { QuirkError } from './gateway/quirks.ts'
export { RuleError } from './scenario/checks.ts'
export { SettingsError } from './surfaces/video/settings.ts'
export { StateError } from './state/state-error.ts'
export { TextSettingsError } from './text/pace.ts'
export { TransitionError } from './engine/tasks.ts'

export { version } from './version.ts'
