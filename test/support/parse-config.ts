import { checkConfig } from '../../src/cli/serve/config-file.ts'
import { parseText } from '../../src/files/read-text.ts'

/** Checks the text of a config file. */
export const parseConfig = async (path: string, text: string) => checkConfig(await parseText(path, text))
