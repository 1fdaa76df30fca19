import type { CameraMove, Grade, Style } from '../words/description.ts'

/** What asks for a style, in the languages that prompts are read in. The first that fits counts. */
export const styleWords: readonly (readonly [Style, RegExp])[] = [
  [
    'line',
    /\b(?:line ?art|sketch|line drawing|colou?ring page|ink drawing|pencil drawing)\b|线稿|素描|線画|эскиз/i,
  ],
  ['pixel', /\bpixel(?:ated)?\b|\b(?:8|16)-?bit\b|像素|ドット絵|пиксель/i],
  [
    'watercolour',
    /\bwater ?colou?r\b|\bgouache\b|\bink wash\b|水彩|水墨|acuarela|aquarela|aquarelle?\b|акварель/i,
  ],
  [
    'oil',
    /\boil (?:paint\w*|on canvas)|\bimpasto\b|\bimpressionis|\bvan gogh\b|\bmonet\b|油画|油絵|óleo|peinture à l'huile|ölgemälde|маслом/i,
  ],
  ['3d', /\b3-?d\b|\bclay(?:mation)?\b|\bisometric\b|\bpixar\b|\b(?:octane|blender|unreal)\b|立体|三维/i],
  ['anime', /\banime\b|\bmanga\b|\bghibli\b|动漫|アニメ|аниме/i],
  [
    'photo',
    /\bphoto(?!shop)\w*|\b\d\d ?mm\b|\bdslr\b|\bbokeh\b|\bfilm still\b|照片|摄影|写真|\bfotogra|\bфото/i,
  ],
]

/** The colours of each version of the drawing model; the latest draws them as they are. */
export const gradesOfVersions: readonly (readonly [RegExp, Grade])[] = [
  [/^[1-3]/, 'faded'],
  [/^4/, 'warm'],
  [/^5/, 'cool'],
  [/^6/, 'vivid'],
]

/** Of other models, by a hash of the name. */
export const gradesOfModels: readonly (Grade | undefined)[] = [undefined, 'warm', 'cool', 'vivid', 'faded']

/** How the camera of a clip moves, where the prompt says so. */
export const moveWords: readonly (readonly [CameraMove, RegExp])[] = [
  [
    'in',
    /\b(?:camera )?(?:slow(?:ly)? )?(?:zoom(?:s|ing)?|push(?:es|ing)?|doll(?:y|ies|ying)) in\b|推近|镜头推进|拉近/gi,
  ],
  [
    'out',
    /\b(?:camera )?(?:slow(?:ly)? )?(?:zoom(?:s|ing)?|pull(?:s|ing)?|doll(?:y|ies|ying)) (?:out|back)\b|拉远/gi,
  ],
  ['left', moving('left', '左移|向左平移')],
  ['right', moving('right', '右移|向右平移')],
  ['up', moving('up(?:wards?)?', '上移|向上摇')],
  ['down', moving('down(?:wards?)?', '下移|向下摇')],
]

function moving(towards: string, chinese: string): RegExp {
  const verb = String.raw`(?:camera )?(?:slow(?:ly)? )?(?:(?:pan|tilt|truck|track|crane)(?:s|ning|ing)?|camera (?:moves?|moving))`
  return new RegExp(String.raw`\b${verb} (?:to the )?${towards}\b|${chinese}`, 'gi')
}
