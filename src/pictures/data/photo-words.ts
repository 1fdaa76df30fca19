// What prompts that describe a photo are made of.

export const SUBJECTS = [
  'a lone traveller',
  'an old house',
  'a small boat',
  'a woman in a long coat',
  'a sleeping cat',
  'a vase of flowers',
  'a lighthouse',
  'a fox',
  'a child with a kite',
  'a bird on a branch',
]
export const PLACES = [
  'by the sea',
  'in the hills',
  'at the edge of a forest',
  'in a narrow street',
  'on an open plain',
  'by a lake',
  'above the roofs of a city',
  'in a garden',
]
export const STYLES = [
  'flat vector illustration',
  '35mm film photograph',
  'soft watercolour',
  'risograph print',
  'minimalist poster',
  'oil on canvas',
  'paper cut-out',
]
