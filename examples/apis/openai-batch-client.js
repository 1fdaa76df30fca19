// Runs a batch of requests with OpenAI's SDK: node openai-batch-client.js PROMPT
import OpenAI, { toFile } from 'openai'
import { carefulFetch, createWait, isWhole } from './careful-fetch.js'

const { GREENROOM_URL: url, GREENROOM_KEY: apiKey } = process.env
const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, fetch: send, maxRetries: 0 })

/** Files are no JSON. A second upload costs nothing, so that it is repeated as reads are. */
function send(to, init) {
  const { pathname } = new URL(to)
  if (pathname.endsWith('/content')) return carefulFetch(to, init, isWholeText)
  return carefulFetch(to, init, undefined, pathname.endsWith('/files') || undefined)
}

function isWholeText(bytes, headers) {
  return isWhole(bytes, headers) && headers.get('content-type').startsWith('application/jsonl')
}

const endpoint = '/v1/responses'
const requests = [process.argv[2] ?? 'Why do red kites fly?', 'And at night?'].map((input, index) => ({
  custom_id: `request-${index}`,
  method: 'POST',
  url: endpoint,
  body: { model: 'gpt-5-mini', input },
}))
const toLines = (values) => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const file = await client.files.create({
  purpose: 'batch',
  file: await toFile(Buffer.from(toLines(requests)), 'requests.jsonl'),
})

let batch = await client.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' })
const wait = createWait()
while (batch.status !== 'completed') {
  // A cancelled batch, and one that expired, too, has no answer to some of its requests.
  if (!['validating', 'in_progress', 'finalizing'].includes(batch.status))
    throw new Error(batch.errors?.data[0]?.message || `the batch is ${batch.status}`)
  await wait()
  batch = await client.batches.retrieve(batch.id)
}

/** Reads a file of results: one for each line. Lines are in any order. */
async function readResults(id) {
  if (!id) return []
  const text = await (await client.files.content(id)).text()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const results = [...(await readResults(batch.output_file_id)), ...(await readResults(batch.error_file_id))]
for (const { custom_id: id } of requests) {
  const { response } = results.find(({ custom_id: other }) => other === id) ?? {}
  console.log(`${id}: ${response ? response.status_code : 'no result'}`)
}
