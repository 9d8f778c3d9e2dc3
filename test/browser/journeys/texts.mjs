// A file is changed as text, and somebody else pushes a change of the same file. Saving is refused, the three texts stand side by side, and a person decides. Then the
// change is made once more on the newest text, and pushed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { assert, journey, keep, open, out, picture, violations } from '../harness.mjs'

const file = 'tenants/acme/apps/site/app.cue'

await journey(
  async (page) => {
    const save = page.getByRole('button', { name: 'Save as a branch' })
    const text = page.getByRole('textbox', { name: `Text of ${file}` })
    const line = '// Ask ada before the sale.\n'
    const type = async () => {
      await text.focus()
      await page.keyboard.press('Control+Home')
      await page.keyboard.type(line)
      await page.getByText('The forms rest').waitFor()
    }
    await open(page, '/applications/acme/site/edit')
    await page.getByRole('button', { name: 'As text' }).click()
    await type()
    await page.getByText('can be saved').waitFor()
    keep('ready', '') // the Go test lets somebody else push another priority now, and pulls it
    while (!existsSync(join(out, 'pulled'))) await page.waitForTimeout(50)
    await save.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByText('It was not saved').waitFor()
    await dialog.getByText('others changed the same meanwhile').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const texts = page.getByRole('region', { name: `Texts of ${file}` })
    await texts.waitFor()
    await page.getByText('the files changed since').waitFor()
    const said = async (column) => (await texts.getByLabel(column, { exact: true }).innerText()).replaceAll('\u00a0', ' ')
    for (const [column, priority, mine] of [['Was', 200, false], ['Yours', 200, true], ['Theirs', 300, false]]) {
      const is = await said(column)
      assert.match(is, new RegExp(`priority: +${priority}\\n`), column)
      assert.equal(is.startsWith(line), mine, column)
    }
    await page.getByText('cannot be saved').waitFor()
    assert.equal(await save.isEnabled(), false)
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await violations(page), [], `three texts, ${colorScheme}`)
      await picture(page, `editor-texts-${colorScheme}`)
    }

    await texts.getByRole('button', { name: 'Take their text' }).click()
    await page.getByText('nothing changed yet').waitFor()
    await text.getByText('priority: 300').waitFor()
    await type()
    await page.getByText('can be saved').waitFor()
    assert.doesNotMatch(await page.locator('pre.diff').innerText(), /priority/, 'what they wrote stays')
    await save.click()
    await dialog.getByRole('textbox', { name: 'Branch' }).fill('ask-ada')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByText('of this clone and of its origin').waitFor()
  },
  { allowed: [/status of 4(0[09]|22)/, /status of 503/] },
)
