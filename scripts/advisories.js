import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'

/**
 * What a report of `npm audit --json` says.
 * @param {string} text
 * @returns {{ known: string[] } | { skipped: string }} each package with an advisory; or why there is no report, as without
 * a network, or from a registry that has none.
 */
export function advisoriesIn(text) {
  let report
  try {
    report = JSON.parse(text)
  } catch {
    return { skipped: 'npm wrote no report' }
  }
  const { vulnerabilities } = report ?? {}
  if (typeof vulnerabilities !== 'object' || vulnerabilities === null) {
    return { skipped: String(report?.message ?? report?.error?.summary ?? 'the registry gave no report') }
  }
  const known = Object.values(vulnerabilities).map(({ name, severity, range, fixAvailable }) => {
    const advice = fixAvailable
      ? 'a fix is there: update it'
      : 'there is no fix yet: look for another package'
    return `${name} ${range} (${severity}); ${advice}`
  })
  return { known }
}

/** Exits with 1 where something that is installed with greenroom has a known advisory. */
function main() {
  // On Windows npm is a batch file, which Node starts by a shell alone.
  const shell = process.platform === 'win32'
  const options = { encoding: /** @type {const} */ ('utf8'), timeout: 60_000, shell }
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--fetch-retries=0'], options)
  const found = advisoriesIn(stdout ?? '')
  if ('skipped' in found) console.log(`Skipped: advisories can't be looked up here: ${found.skipped}.`)
  else if (found.known.length === 0) console.log('No dependency has a known advisory.')
  else {
    console.error(
      `Known advisories against what users install:\n${found.known.map((each) => `- ${each}`).join('\n')}`,
    )
    process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
