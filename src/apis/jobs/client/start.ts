import { firstWords } from '../job/state-words.ts'
import { canResubmit, Failed, Impossible, TransportError } from '../../client/errors.ts'
import { downloadOrRenew, pollUntilEnded, type StartFlow } from '../../client/task-result.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { ApiDefinition } from '../kit/definition.ts'
import { observeJob } from '../replies/observe.ts'
import {
  downloadFor,
  findIdPlace,
  findLinkPlaces,
  pathFor,
  readPlace,
  replaceAt,
  sampleSubmission,
  type ClientPlan,
} from './plan.ts'

/**
 * What the reference client does with the API of a definition: submits a job, polls it to its end, and downloads its files.
 * It reads replies by comparing them with those of the definition.
 */
export const startJobs =
  (definition: ApiDefinition, plan: ClientPlan): StartFlow =>
  async (client, prompt, output) => {
    const { poll, result, headers } = plan
    const sample = sampleSubmission(plan)
    const idPlace = sample && findIdPlace(definition, sample)
    if (!sample || !idPlace)
      throw new Impossible(
        `${definition.name}.${plan.submits[0].key} makes no job of a body that its schema describes. Give it an example: { body: { … } }, and return job.id in its reply.`,
      )
    const { path, promptAt, request, submit } = sample
    const body = promptAt.length === 0 ? sample.body : replaceAt(sample.body, promptAt, prompt)
    const [method] = submit.operation.route.split(' ')
    const id = await client.retry(
      async () => {
        const id = readPlace(await client.json(path, { method: method!, body, headers }), idPlace)
        if (id === undefined) throw new TransportError(`the submission returned no ${idPlace.keys.join('.')}`)
        return id
      },
      { canRetry: canResubmit },
    )
    output.tasks.push(id)
    const places = findLinkPlaces(definition, plan, request)
    const linksIn = (reply: JsonObject): string[] => places.flatMap((place) => readPlace(reply, place) || [])
    return async () => {
      const states = firstWords(definition.states)
      const followToEnd = (): Promise<JsonObject> =>
        pollUntilEnded(client, states, async () => {
          const record = (await client.json(pathFor(definition, poll.operation, id), {
            headers,
          })) as JsonObject
          const job = observeJob(definition, poll.operation, record, request)
          if (job?.role === 'cancelled') throw new Failed('the job was cancelled')
          // A word that the definition shows for a part of the result resembles the success most.
          const isPart =
            job?.role === 'success' && !result && places.length > 0 && linksIn(record).length === 0
          if (isPart) return { record, status: 'unfinished', reason: undefined }
          return { record, status: job?.status, reason: job?.reason as string | undefined }
        })
      let reply = await followToEnd()
      if (result)
        reply = (await client.json(pathFor(definition, result.operation, id), { headers })) as JsonObject
      if (!client.settings.download) return
      const download = downloadFor(definition, plan, request)
      const links = linksIn(reply)
      const paths =
        links.length > 0 ? links.map(toPath) : download ? [pathFor(definition, download.operation, id)] : []
      const [file] = request.files ?? []
      const type = file?.type ?? `${file?.makes ?? request.makes ?? definition.makes ?? 'video'}/`
      for (const path of new Set(paths))
        output.files.push(await downloadOrRenew(client, followToEnd, { path, type }))
    }
  }

/** The path of a link of the simulator, whose origin the client knows. */
function toPath(link: string): string {
  const { pathname, search } = new URL(link, 'http://gateway.example')
  return pathname + search
}
