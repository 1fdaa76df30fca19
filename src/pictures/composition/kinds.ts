/** The kind of a picture. Each kind has a file in families/. */
export type Family = Place | 'wallpaper'
/** The kinds that the words of a prompt can choose. */
export type Place =
  'hills' | 'dunes' | 'sea' | 'city' | 'forest' | 'space' | 'abstract' | 'emblem' | 'room' | 'underwater'
export type Weather = 'rain' | 'storm' | 'snow' | 'fog' | 'wind'
export type TimeOfDay = 'night' | 'dusk' | 'dawn'
