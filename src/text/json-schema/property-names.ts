import type { Faker } from '@faker-js/faker'
import { adjectives, things } from '../write/phrase-data.ts'
import { townOf, type Rng, type Words } from '../write/random.ts'
import type { NumberRange } from './numbers.ts'

type TextHint = readonly [names: RegExp, make: (faker: Faker) => string]

/** The usual content of text properties, by name. The first match counts. */
const textHints: readonly TextHint[] = [
  [/\be ?mail\b/, (faker) => faker.internet.exampleEmail().toLowerCase()],
  [/\b(first|given) name\b/, (faker) => faker.person.firstName()],
  [/\b(last|family) name\b|\bsurname\b/, (faker) => faker.person.lastName()],
  [/\buser ?name\b|\blogin\b|\bhandle\b/, (faker) => faker.person.firstName().toLowerCase()],
  [/\b(company|employer|organi[sz]ation|brand|vendor) ?(name)?\b/, (faker) => faker.company.name()],
  [/\b(product|item|dish|model) ?(name)?\b/, (faker) => faker.commerce.productName()],
  [/\b(city|town|destination|origin|location|place|capital)\b/, townOf],
  [/\bcountry code\b/, (faker) => faker.location.countryCode()],
  [/\bcountry\b|\bnation\b/, (faker) => faker.location.country()],
  [/\b(state|region|province)\b/, (faker) => faker.location.state()],
  [/\b(zip|postal|post) ?code\b|\bzip\b/, (faker) => faker.location.zipCode()],
  [/\bstreet\b|\baddress\b/, (faker) => faker.location.streetAddress()],
  [/\bphone\b|\bmobile\b|\btel\b/, (faker) => faker.phone.number({ style: 'international' })],
  [/\b(url|uri|link|website|homepage)\b/, (faker) => `https://example.com/${faker.word.noun()}`],
  [/\bcolou?r\b/, (faker) => faker.color.human()],
  [/\bcurrency\b/, (faker) => faker.helpers.arrayElement(['EUR', 'USD', 'GBP', 'NOK'])],
  [/\blanguage\b|\blocale\b/, (faker) => faker.helpers.arrayElement(['en', 'de', 'fr', 'ja'])],
  [/\bgenre\b/, (faker) => faker.music.genre()],
  [/\b(job|role|occupation|position)\b/, (faker) => faker.person.jobTitle()],
  [/\b(animal|pet|species)\b/, (faker) => faker.animal.type()],
  [/\bingredient\b/, (faker) => faker.food.ingredient()],
  [/\b(department|category|tag|label|topic|keyword)\b/, (faker) => faker.commerce.department().toLowerCase()],
  [/\b(unit|size)\b/, (faker) => faker.helpers.arrayElement(['small', 'medium', 'large'])],
  [
    /\b(author|person|customer|contact|owner|sender|recipient|assignee|name)\b/,
    (faker) => faker.person.fullName(),
  ],
  [/\b(sku|id|code|key|token)\b/, (faker) => faker.string.alphanumeric({ length: 8, casing: 'lower' })],
]

/** Names of properties that contain a sentence about the prompt, and of those that contain its topic. */
const sentenceNames =
  /\b(description|summary|text|content|body|message|reason|reasoning|explanation|answer|comment|note|response|output|step|detail|review|bio|instruction|thought|analysis|conclusion)s?\b/
const titleNames = /\b(title|headline|subject|heading)\b/

/** The words of a property's name: `firstName` and `first_name` are `first name`. */
export function nameWords(name: string): string {
  return name
    .slice(0, 100)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase()
}

/** The kind of text that suits a property. */
export function textKind(name: string): 'sentence' | 'title' | 'other' {
  const words = nameWords(name)
  if (titleNames.test(words)) return 'title'
  return sentenceNames.test(words) ? 'sentence' : 'other'
}

/** An invented text that suits a property's name. */
export function inventText(name: string, rng: Rng, words: Words): string {
  const spelled = nameWords(name)
  const hint = textHints.find(([names]) => names.test(spelled)) ?? textHints.find(([names]) => names.test(singular(spelled))) // prettier-ignore
  if (hint !== undefined) return words(rng, hint[1])
  return `${rng.pick(adjectives, 'adjective')} ${rng.pick(things, 'thing')}`
}

/** Converts a plural: `cities` to `city`, `tags` to `tag`. */
export function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

const numberHints: readonly (readonly [RegExp, NumberRange])[] = [
  [/\bage\b/, { low: 18, high: 80, decimals: 0 }],
  [/\byear\b/, { low: 1990, high: 2026, decimals: 0 }],
  [/\bmonth\b/, { low: 1, high: 12, decimals: 0 }],
  [/\bday\b/, { low: 1, high: 28, decimals: 0 }],
  [/\bhour\b/, { low: 0, high: 23, decimals: 0 }],
  [/\b(price|cost|amount|total|fee|salary|balance)\b/, { low: 5, high: 500, decimals: 2 }],
  [/\b(rating|stars)\b/, { low: 1, high: 5, decimals: 1 }],
  [/\b(confidence|probability|ratio|likelihood|similarity)\b/, { low: 0, high: 1, decimals: 2 }],
  [/\bscore\b/, { low: 0, high: 10, decimals: 1 }],
  [/\bpercent(age)?\b|\bprogress\b|\bhumidity\b/, { low: 0, high: 100, decimals: 0 }],
  [/\blat(itude)?\b/, { low: -60, high: 70, decimals: 4 }],
  [/\b(lng|lon|longitude)\b/, { low: -170, high: 170, decimals: 4 }],
  [/\b(temp|temperature|celsius)\b/, { low: -5, high: 30, decimals: 0 }],
  [/\b(count|quantity|number|guests|people|passengers|nights|days)\b/, { low: 1, high: 12, decimals: 0 }],
]

/** The usual range of a property's numbers, by its name. */
export function rangeFor(name: string): NumberRange {
  const spelled = nameWords(name)
  return numberHints.find(([names]) => names.test(spelled))?.[1] ?? { low: 1, high: 100, decimals: 1 }
}
