/** What kind of picture it is. Each has a file in families/. */
export type Family = Place | 'wallpaper'
/** Those that the words of a prompt can ask for. */
export type Place =
  'hills' | 'dunes' | 'sea' | 'city' | 'forest' | 'space' | 'abstract' | 'emblem' | 'room' | 'underwater'
export type Weather = 'rain' | 'storm' | 'snow' | 'fog' | 'wind'
export type TimeOfDay = 'night' | 'dusk' | 'dawn'
