import { runAtOnce } from '../../src/engine/clock/timers/steps.ts'
import { readYaml } from '../../src/scenario/files/yaml-text.ts'

/** Parses YAML at once. */
export const parseYaml = (text: string) => runAtOnce(readYaml(text))
