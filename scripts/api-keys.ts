import { readFileSync } from 'node:fs'

/** The types of `greenroom/api` with keys that a definition writes or reads, and what each type is. */
const described: readonly (readonly [file: string, type: string, title: string])[] = [
  ['kit/definition.ts', 'ApiDefinition', 'Keys of `defineApi`'],
  ['kit/operation.ts', 'OperationBase', 'Keys of every operation'],
  ['kit/operation.ts', 'JobOperation', 'Further keys of operations about jobs'],
  ['kit/submission.ts', 'SubmitOptions', 'Further keys of `submit`'],
  ['kit/operation.ts', 'PollOptions', 'Further keys of `poll` and `result`'],
  ['kit/operation.ts', 'CancelOptions', 'Further keys of `cancel`'],
  ['kit/operation.ts', 'ListOptions', 'Further keys of `list`'],
  ['kit/operation.ts', 'JobPage', 'What `page` of a list returns'],
  ['kit/operation.ts', 'PagesOptions', 'Further keys of `pages`'],
  ['kit/operation.ts', 'DownloadOptions', 'Further keys of `download`'],
  ['kit/submission.ts', 'CallOptions', 'Further keys of `call`'],
  ['kit/webhook.ts', 'WebhookOptions', 'Keys of `webhook`'],
  ['kit/call.ts', 'Call', 'What functions read of a request'],
  ['kit/call.ts', 'StoringCall', 'What else functions of a `call` read'],
  ['job/uploaded-file.ts', 'UploadedFile', 'What functions read of an uploaded file'],
  ['kit/call.ts', 'JobRequest', 'What `job` returns'],
  ['kit/call.ts', 'FileRequest', 'Keys of `files` of a job'],
  ['job/job.ts', 'Job', 'What `reply` reads of a job'],
  ['job/job-file.ts', 'JobFile', 'What `reply` reads of a file'],
  ['kit/refused.ts', 'Refusal', 'What `error` reads of a refusal'],
  ['kit/refused.ts', 'Refusing', 'What else `error` reads'],
  ['kit/refused.ts', 'Refusals', 'Keys of `refusals`'],
  ['kit/definition.ts', 'QuirkDefinition', 'Keys of a quirk'],
]

/** A method has an entry of its own. */
const field = /^(?:readonly |get )?(\w+)\??(?:\(\))?: /

/** Tables of the keys of definitions, from the docstrings of the types. */
export function keysOfDefinitions(): string[] {
  return described.flatMap(([file, type, title]) => {
    const text = readFileSync(new URL(`../src/apis/jobs/${file}`, import.meta.url), 'utf8')
    const lines = text.split('\n')
    const start = lines.findIndex((line) => new RegExp(`^export (?:interface|class) ${type}\\b`).test(line))
    if (start < 0) throw new Error(`${file} exports no ${type}`)
    const end = lines.findIndex((line, index) => index > start && line === '}')
    return [
      `### ${title}`,
      ['| Key | What it is |', '|---|---|', ...rowsOf(lines.slice(start + 1, end))].join('\n'),
    ]
  })
}

/** The rows of the fields of a type that have a docstring. A group of keys is followed by its keys. */
function rowsOf(lines: readonly string[]): string[] {
  const rows: string[] = []
  let comment: string[] = []
  let group = ''
  for (const line of lines) {
    const indent = line.search(/\S/)
    const code = line.trim()
    if (/^(?:\/\*\*|\*)/.test(code)) {
      comment.push(code.replace(/^\/\*\* ?|^\* ?\/?|\*\/$/g, '').trim())
      continue
    }
    if (indent === 2 && code === '}') group = ''
    const [, name] = field.exec(code) ?? []
    const isOwn = indent === 2 || (indent === 4 && group !== '')
    if (name !== undefined && isOwn && comment.length > 0 && !comment.join(' ').includes('@internal')) {
      const description = comment.join(' ').replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|')
      rows.push(`| \`${indent === 4 ? `${group}.` : ''}${name}\` | ${description} |`)
    }
    if (indent === 2 && name !== undefined) group = /: \{$|\?: \{$/.test(code) ? name : ''
    comment = []
  }
  return rows
}
