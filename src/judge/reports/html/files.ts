import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagePath } from '../../../files/package-path.ts'
import { htmlReport, RunCollection, type CollectedRun } from './html.ts'
import type { ScenarioText } from './report-data.ts'

/** More reports of failed tests are not written to one folder. */
const maxReports = 100

/**
 * Reads the page of HTML reports, which the build makes.
 * @throws {Error} if it is missing.
 */
export function readReportPage(): string {
  const path = packagePath('dist/dashboard/report.html')
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(
      `Failed to read ${path}: ${(error as Error).message}. Install greenroom again, or build it.`,
    )
  }
}

/**
 * Writes the report of a failed test. It never throws: the failure itself matters more.
 *
 * @param name of the file, without an extension; safe in every file system.
 * @returns a line for the message of the failure.
 */
export function saveTestReport(folder: string, name: string, run: CollectedRun): string {
  const path = join(folder, `${name}.html`)
  try {
    mkdirSync(folder, { recursive: true })
    const count = readdirSync(folder).filter((file) => file.endsWith('.html')).length
    if (count >= maxReports && !existsSync(path))
      return `report: none, because ${folder} has ${count} reports already. Delete them.`
    const runs = new RunCollection()
    runs.add({ ...run, scenario: readScenario(run.verdict.file) })
    writeFileSync(path, htmlReport(readReportPage(), runs.toData('A failed test')))
    return `report: ${path}`
  } catch (error) {
    return `report: none. ${(error as Error).message}`
  }
}

/** The file of a verdict is that of its scenario, or of its test. */
function readScenario(file: string | null): ScenarioText[] {
  if (file === null || !existsSync(file)) return []
  return [{ file, text: readFileSync(file, 'utf8') }]
}
