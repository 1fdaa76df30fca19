/** What kind of picture it is. Each has a file in families/. */
export type Family = 'hills' | 'dunes' | 'sea' | 'city' | 'forest' | 'space' | 'abstract' | 'emblem'
export type Weather = 'rain' | 'storm' | 'snow' | 'fog' | 'wind'
export type TimeOfDay = 'night' | 'dusk' | 'dawn'
