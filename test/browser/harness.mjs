// The harness of the journeys: a browser, a page that is signed in, and what must hold on all pages at all times.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const installed = createRequire(new URL('../../web/package.json', import.meta.url))
const { chromium } = installed('playwright-core')

const axe = installed('axe-core')
export const { BROWSER_URL: url, BROWSER_CHROMIUM: program, BROWSER_OUT: out, BROWSER_SCREENS: screens } = process.env
export const origin = new URL(url).origin
export { assert }

// patience bounds what a journey waits for. It waits for conditions, so a busy machine only takes longer.
const patience = 60_000

// journey runs one story in a browser of its own. At its end, the pages have broken no policy, reported no error and asked nobody
// but their own server.
export async function journey(story, { allowed = [] } = {}) {
  const expected = [/status of 429/, ...allowed] // who signs in a moment after somebody else has to wait
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] })
  const faults = []
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    await context.exposeBinding('reportViolation', (_, said) => faults.push(`policy: ${said}`))
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (e) => globalThis.reportViolation(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`))
    })
    const page = await context.newPage()
    page.setDefaultTimeout(patience)
    page.on('console', (m) => {
      if (['error', 'warning'].includes(m.type()) && !expected.some((a) => a.test(m.text()))) faults.push(`console: ${m.text()} (${m.location().url})`)
    })
    page.on('pageerror', (e) => faults.push(`error: ${e.stack ?? e.message}`))
    context.on('request', (r) => {
      if (new URL(r.url()).origin !== origin) faults.push(`request: ${r.url()}`)
    })
    await page.goto(url)
    await page.getByRole('heading', { level: 1, name: /^Fleet/ }).waitFor()
    assert.doesNotMatch(page.url(), /token/, 'the token stays in no address')
    await story(page, context).catch(async (e) => {
      await picture(page, 'failed')
      throw e
    })
    await page.close()
  } finally {
    await browser.close()
  }
  assert.deepEqual(faults, [])
}

// open goes to a page as somebody does who follows a link from elsewhere.
export async function open(page, path) {
  await page.goto(origin + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await settled(page)
}

// settled waits until everything that a page asks for is there.
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('.loading') === null)
}

// keep writes a file for the Go test to compare.
export function keep(name, bytes) {
  writeFileSync(join(out, name), bytes)
}

// picture keeps a screenshot for people to look at.
export async function picture(page, name) {
  mkdirSync(screens, { recursive: true })
  await page.screenshot({ path: join(screens, `${name}.png`), fullPage: true })
}

// likeness keeps what a page is to those who listen, and how it looks, for the Go test to compare with what it was. Times pass, so all are the same.
export async function likeness(page, name, colorScheme) {
  const heard = (await page.locator('body').ariaSnapshot()).replaceAll(/\bjust now\b|\b(in )?\d+ (d|h|min|s)\b( \d+ (h|min)\b)?( ago\b)?/g, 'some time')
  if (colorScheme === 'light') keep(`${name}.yml`, heard + '\n')
  mkdirSync(screens, { recursive: true })
  const file = join(screens, `${name}-${colorScheme}.png`)
  keep(`${name}-${colorScheme}.png`, await page.screenshot({ path: file, fullPage: true }))
}

// answer waits for the answer to a request, and returns it with its bytes.
export async function answer(page, matches, act) {
  const [response] = await Promise.all([page.waitForResponse(async (r) => matches(r) && r.status() === 200), act()])
  return response.body()
}

// still waits until something is in its place, and returns that.
export async function still(it) {
  for (let last; ; ) {
    const box = await it.boundingBox()
    if (box && JSON.stringify(box) === last) return box
    last = JSON.stringify(box)
    await new Promise((r) => setTimeout(r, 150))
  }
}

// middle is where an arrow begins or ends at a node of a picture, once all is in its place.
export async function middle(picture, node, side) {
  await picture.locator('xpath=self::*[@aria-busy="false"]').waitFor()
  const box = await still(picture.locator(`.react-flow__node[data-id="${node}"] .react-flow__handle.${side}`))
  return [box.x + box.width / 2, box.y + box.height / 2]
}

// draw drags a component from the palette into the picture of the editor, and an arrow from it to the one that comes after it.
export async function draw(page, { type, name, image, before }) {
  const canvas = page.getByRole('figure', { name: 'Components, and what they wait for' })
  const node = (id) => canvas.locator(`.react-flow__node[data-id="${id}"]`)
  await node(before).waitFor()
  await page.getByRole('button', { name: `+ ${type}` }).dragTo(canvas.locator('.react-flow__pane'))
  await page.getByRole('textbox', { name: 'name', exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'image', exact: true }).fill(image)
  assert.deepEqual(await violations(page), [], 'what is asked of a new component')
  await page.getByRole('button', { name: 'Add the component' }).click()
  await node(name).waitFor()

  await canvas.scrollIntoViewIfNeeded()
  const [from, to] = await Promise.all([middle(canvas, name, 'source'), middle(canvas, before, 'target')])
  await page.mouse.move(...from)
  await page.mouse.down()
  await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 5 })
  await page.mouse.move(...to, { steps: 5 })
  await page.mouse.up()
  await page.getByRole('button', { name: new RegExp(`^${before}`) }).getByText(new RegExp(`after .*${name}`)).waitFor()
}

// violations returns the serious and critical violations of accessibility on a page.
export async function violations(page) {
  await settled(page)
  await page.evaluate(axe.source)
  const said = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  return said.violations
    .filter((v) => v.impact === 'serious' || v.impact === 'critical')
    .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary ?? ''}`).join(' | ')}`)
}
