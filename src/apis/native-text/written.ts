import type { TextAnswer, TextCandidate } from '../../text/spec.ts'
import { nativeAnswer, type AnswerMetadata } from './answer.ts'
import { indentedBeginning } from './indented.ts'

/** A whole answer as the vendor writes it, up to its imprint. */
export function writtenAnswer(answer: TextAnswer): string {
  return isPlain(answer) ? plainAnswer(answer) : indentedBeginning(nativeAnswer(answer))
}

/** What follows: the imprint, to the end of the answer. */
export function writtenImprint({ modelVersion, responseId }: AnswerMetadata): string {
  return `,
  "modelVersion": ${JSON.stringify(modelVersion)},
  "responseId": "${responseId}"
}
`
}

/** Whether an answer is one text and nothing else, as most are. */
function isPlain({ candidates, usage }: TextAnswer): boolean {
  return (
    candidates.length === 1 &&
    isPlainText(candidates[0]!) &&
    usage.thoughts === 0 &&
    usage.prompt.text === usage.prompt.total
  )
}

function isPlainText({ thoughts = '', text, calls, finish, finishAs, logprobs }: TextCandidate): boolean {
  const isText = text !== '' && thoughts === '' && calls.length === 0 && logprobs === undefined
  return isText && finishAs === undefined && (finish === 'stop' || finish === 'length')
}

/** Written out, since indenting takes longer than all else that is done for such an answer. */
function plainAnswer({ candidates, usage: { prompt, answer, total } }: TextAnswer): string {
  const { text, finish } = candidates[0]!
  return `{
  "candidates": [
    {
      "content": {
        "parts": [
          {
            "text": ${JSON.stringify(text)}
          }
        ],
        "role": "model"
      },
      "finishReason": "${finish === 'stop' ? 'STOP' : 'MAX_TOKENS'}",
      "index": 0
    }
  ],
  "usageMetadata": {
    "promptTokenCount": ${prompt.total},
    "candidatesTokenCount": ${answer},
    "totalTokenCount": ${total},
    "promptTokensDetails": [
      {
        "modality": "TEXT",
        "tokenCount": ${prompt.text}
      }
    ]
  }`
}
