/**
 * The phrases of the assistant. `{topic}` is the topic of the prompt, `{Topic}` the same at the beginning of a sentence.
 * `{word}` and `{other}` are distinctive words of the prompt. `{name}`, `{friend}`, `{place}`, `{adjective}`, `{thing}` and
 * `{verb}` are invented; except `{adjective}` and `{thing}`, they stay the same within an answer.
 */
export const phrases = {
  greeting: [
    'Hello! How can I help you today?',
    'Hi there! What would you like to work on?',
    'Hello! Ask me anything, or tell me what you are working on.',
    'Hi! I am ready when you are.',
  ],
  thanks: [
    'You are welcome! Let me know if there is anything else.',
    'Happy to help. Is there anything else you would like to know?',
    'Glad that was useful!',
  ],
  opening: [
    '{Topic}: here is the short version.',
    'You asked about {topic}.',
    'Here is how I would look at {topic}.',
    'Let us take {topic} step by step.',
    'In short, {topic} comes down to a few simple things.',
    'There is a clear way to think about {topic}.',
  ],
  answer: [
    '{Topic}: in short, it depends on what you mean by "{word}", and in most cases the simplest reading is the right one.',
    'As for {topic}, the usual answer starts with "{word}", and the details follow from there.',
    'On {topic}, the part that matters most is "{word}"; everything else is secondary.',
    'The short answer on {topic}: look at "{word}" first, because that is what most people mean.',
    'When it comes to {topic}, "{word}" is the place to begin.',
    '{Topic}: most people would give you a {adjective} answer here, and they would not be wrong.',
    'With {topic}, the {adjective} solution is usually the best one.',
  ],
  point: [
    'The first thing to look at is "{word}", because everything else builds on it.',
    'A good rule of thumb is to keep things {adjective} and to check them early.',
    'Many people overlook "{other}", although it makes the biggest difference in practice.',
    'It helps to compare it with something familiar, such as a {adjective} {thing}.',
    'If "{word}" and "{other}" pull in different directions, choose the one that is harder to change later.',
    'In day-to-day use this matters more often than the theory suggests.',
    'A small example makes it concrete: think of a {adjective} {thing} in {place}.',
    'What surprises most people is how quickly the rest falls into place once "{word}" is settled.',
    'You can test this yourself by changing one thing at a time and watching what happens.',
    'The details vary, but the pattern around "{word}" stays the same.',
    'Experts often begin with "{other}" and come to the rest only later.',
    'There are exceptions, of course, and they usually look like a {adjective} {thing}.',
    'None of this needs to be perfect: a {adjective} first attempt is enough to learn from.',
  ],
  closing: [
    'Let me know if you would like more detail on any of this.',
    'If you tell me more about your situation, I can be more specific.',
    'That should give you a solid start with {topic}.',
    'Would you like an example?',
    'I can say more about "{word}" if that helps.',
  ],
  fact: [
    'A {adjective} overview of {topic}.',
    '{Topic}, described in a few {adjective} words.',
    'What matters most about {topic}, told with a {adjective} example.',
    'A short note on {topic}, with a {thing} for comparison.',
    '{Topic}: {adjective}, clear and to the point.',
  ],
  earlier: [
    'Coming from {earlier}, this is a natural next step.',
    'This follows on from what you said about {earlier}.',
    'Keeping {earlier} in mind:',
  ],
  picture: [
    'Thank you for the picture.',
    'I have looked at the picture you sent.',
    'From the picture, the overall composition stands out first.',
  ],
  storyBeginning: [
    'In {place}, where the evenings were {adjective} and long, {name} could think of nothing but {topic}.',
    'Nobody in {place} remembered when it had begun, but everyone agreed that it was about {topic}.',
    '{name} had always believed that {topic} belonged in stories, until one {adjective} morning in {place}.',
    'On the first day of spring, {name} arrived in {place} with a {adjective} suitcase and one idea: {topic}.',
  ],
  storyMiddle: [
    '{name} found a {adjective} {thing} by the door and took it as a sign.',
    'That was when {friend} appeared, out of breath and smiling.',
    '"You will need this," said {friend}, holding out a {adjective} {thing}.',
    'They walked until the lights of {place} were no more than a glow behind them.',
    '{name} listened. Somewhere in the dark, something {adjective} was moving.',
    'For a moment neither of them said a word.',
    'The {thing} was heavier than it looked, and far more {adjective}.',
    '"It was never about the {thing}," {friend} said quietly.',
    'By noon the whole street knew, and by evening the rumour had become {adjective}.',
    '{name} laughed, because it was the only thing left to do.',
    'Rain began to fall, first softly, then as if it had been waiting for years.',
    'There was a {adjective} {thing} on the windowsill that had not been there before.',
    '{friend} counted to three, and on two they both ran.',
    'What they found there was smaller than they had hoped, and more {adjective}.',
  ],
  storyEnding: [
    'And when people in {place} speak of {topic} today, they lower their voices and smile.',
    'In the end {name} kept the {thing}, and {friend} kept the secret.',
    'The next morning everything looked the same, and nothing was.',
    'That night {name} slept soundly for the first time, and dreamed of {topic}.',
  ],
  verse: [
    'On {topic} a {adjective} light falls,',
    'and somewhere soft the evening calls;',
    'the {thing} waits beside the door,',
    'as patient as it was before.',
    'The wind remembers every name,',
    'no {adjective} hour is quite the same,',
    'and what we took for wind and rain',
    'comes {adjective} home to us again.',
  ],
  item: [
    'Start with "{word}" and keep it {adjective}',
    'Write down what "{other}" means to you',
    'Try a {adjective} {thing} as a first experiment',
    'Ask a friend in {place} how they would do it',
    'Look at "{word}" from the other side',
    'Combine "{word}" with a {adjective} {thing}',
    'Set aside half an hour for it every week',
    'Borrow an idea from someone you admire and make it your own',
    'Leave out everything that has nothing to do with "{word}"',
    'Make progress visible: a {adjective} note is enough',
  ],
  letter: [
    'I hope this message finds you well.',
    'I am writing to you about {topic}.',
    'As we discussed in {place}, this is the part that needs attention first.',
    'I would suggest a short call this week to settle the details.',
    'Please find the main points below, and let me know if anything is missing.',
    'Thank you for your time and your patience.',
  ],
  thought: [
    'The user asks about {topic}.',
    'The words that matter are "{word}" and "{other}".',
    'I should keep the answer clear and not too long.',
    'First I need to decide what is really being asked.',
    'An example would help, perhaps something with a {adjective} {thing}.',
    'There is a risk of going into too much detail.',
    'A direct answer first, then the reasons.',
    'Let me check that this also holds in a less {adjective} case.',
    'That seems right. I can write the answer now.',
  ],
} as const

/** Adjectives. Each suits any of the things. */
export const adjectives: readonly string[] = (
  'quiet bright careful curious steady gentle patient simple clever golden silver early small bold warm cool ' +
  'lively modest narrow open plain quick soft sturdy tidy vivid wide wise young ancient blue brisk calm crisp distant ' +
  'faithful fresh friendly green handy hidden humble light lucky mellow neat old polished proud red rustic sunny ' +
  'thoughtful unusual weathered familiar'
).split(' ')

export const things: readonly string[] = (
  'lantern notebook bicycle harbour garden compass teapot bridge letter window map ladder clock boat kettle lamp ' +
  'blanket basket violin path orchard workshop mirror postcard bell candle drawer suitcase camera kite anchor bench ' +
  'button chest coin door feather fence flute gate hammer helmet island jar key library market mill needle oven parcel ' +
  'pencil piano puzzle radio ribbon river scarf sketch spoon staircase telescope thread ticket toolbox tower train ' +
  'umbrella valley wheel whistle'
).split(' ')
