// The editor by the keyboard alone: from the page of an application to a saved branch.
import { assert, journey, open } from '../harness.mjs'

await journey(
  async (page) => {
    const focus = () =>
      page.evaluate(() => {
        const e = document.activeElement
        const label = e?.labels?.[0]?.textContent
        return { text: (e?.getAttribute('aria-label') ?? label ?? e?.textContent ?? '').trim(), outline: e ? getComputedStyle(e).outlineStyle : 'none', tag: e?.tagName ?? '' }
      })
    const tabTo = async (wanted, { most = 160, back = false } = {}) => {
      const seen = []
      for (let i = 0; i < most; i++) {
        await page.keyboard.press(back ? 'Shift+Tab' : 'Tab')
        const f = await focus()
        if (f.tag !== 'BODY') assert.notEqual(f.outline, 'none', `the focus on ${f.tag} "${f.text}" can be seen`)
        seen.push(f.text.slice(0, 30))
        if (wanted.test(f.text)) return
      }
      assert.fail(`no tab leads to ${wanted}: ${seen.join(' | ')}`)
    }
    await open(page, '/applications/acme/shop')
    await page.locator('h1 a.change').waitFor()
    await tabTo(/^Edit it$/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Edit acme/shop' }).waitFor()
    await page.getByRole('button', { name: 'Add a component' }).waitFor()
    await tabTo(/^Add a component$/)
    await page.keyboard.press('Enter')
    assert.match((await focus()).text, /^name/, 'what is asked first has the focus')
    await page.keyboard.type('mailer')
    await tabTo(/^type/, { most: 1 })
    await page.keyboard.type('worker')
    await tabTo(/^image/, { most: 1 })
    await page.keyboard.type('ghcr.io/acme/mailer:3')
    await tabTo(/^after/, { most: 1 })
    await page.keyboard.type('database')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter') // on before: a form is sent by Enter from a text only
    await tabTo(/^Add the component$/, { most: 3 })
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'Component mailer' }).waitFor()
    await page.waitForFunction(() => document.activeElement?.closest('[data-field="components.mailer"]') !== null)
    await tabTo(/^migrate$/, { most: 8 })
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: /^mailer/ }).getByText('after database, migrate').waitFor()
    await tabTo(/more fields replicas/)
    await page.keyboard.press('Enter')
    await tabTo(/^replicas/)
    await page.keyboard.type('99')
    await page.getByRole('button', { name: 'mend components.mailer.replicas' }).waitFor()
    await tabTo(/^mend components\.mailer\.replicas$/)
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.closest('[data-field="components.mailer.replicas"]') !== null)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('1')
    await page.getByText('can be saved').waitFor()
    await tabTo(/^Save as a branch/, { back: true })
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Save as a branch' }).waitFor()
    assert.match((await focus()).text, /^Branch$/)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('mailer')
    await page.keyboard.press('Enter')
    await page.getByText('git push origin ui/mailer').waitFor()
    await tabTo(/^Close$/, { most: 6 })
    await page.keyboard.press('Enter')
    await page.getByText('nothing changed yet').waitFor()
  },
  { allowed: [/status of 40[09]/, /status of 503/] },
)
