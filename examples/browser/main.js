import { createClient } from './client.js'
import { baseUrl, startGateway } from './gateway.js'

const status = document.querySelector('#status')
const say = (text) => (status.textContent = text)

// In the console, and to tests: sim.journal(), sim.clock.status(), await sim.verdict()
window.sim = await startGateway()
const client = createClient({ baseUrl, key: 'sk-page' })
say('Ready')

const show = {
  async video(prompt) {
    const video = document.querySelector('video')
    video.src = await client.video(prompt, say)
    await video.play()
  },
  async drawing(prompt) {
    const image = document.querySelector('img')
    image.src = await client.drawing(prompt, say)
    await image.decode()
  },
  async text(prompt) {
    const words = document.querySelector('#text')
    words.textContent = ''
    for await (const word of client.text(prompt)) words.append(word)
  },
}

document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { name } = event.submitter
  try {
    await show[name](event.target.elements.prompt.value)
    say(`Displayed: ${name}`)
  } catch (error) {
    say(`Failed: ${error.message}`)
  }
})
