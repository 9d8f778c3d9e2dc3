// Files of tenants and of the platform are changed by forms, and any file as text; a component gets another name, and the page says
// what ends by that; a secret is replaced and shown nowhere. What is saved is pushed at once.
import { assert, journey, open, picture, settled, violations } from '../harness.mjs'

const hidden = 'correct-horse-battery'

await journey(
  async (page) => {
    const save = page.getByRole('button', { name: 'Save as a branch' })
    await open(page, '/tenants/acme')
    await page.getByRole('link', { name: 'Change what it is given' }).click()
    await page.getByRole('heading', { level: 1, name: 'Edit the platform' }).waitFor()
    const weight = page.locator('[data-field="allotments.acme.weight"] input')
    await weight.fill('7')
    await page.getByText('can be saved').waitFor()
    assert.match(await page.locator('pre.diff').innerText(), /\+.*weight: 7/)
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await violations(page), [], `the platform, ${colorScheme}`)
    }
    await picture(page, 'editor-platform')
    await save.click()
    await page.getByRole('textbox', { name: 'Branch' }).fill('weight')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('of this clone and of its origin').waitFor()
    assert.deepEqual(await violations(page), [], 'saved and pushed')
    await page.getByRole('button', { name: 'Close' }).click()

    await open(page, '/tenants/acme')
    await page.getByRole('link', { name: 'Change its files' }).click()
    await page.getByRole('heading', { level: 1, name: 'Edit tenant acme' }).waitFor()
    const most = page.locator('[data-field="policy.limits.maxReplicas"] input')
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('button', { name: /^policy/ }).click()
    await most.fill('5000')
    await page.locator('[data-field="policy.limits.maxReplicas"]').getByText(/DA1\d+/).waitFor()
    assert.equal(await save.isEnabled(), false, 'wider than the layer above')
    await most.fill('18')
    await page.getByText('can be saved').waitFor()

    // The rest by keyboard: the same file as text, which has the change, and one more.
    await page.getByRole('button', { name: 'As text' }).focus()
    await page.keyboard.press('Enter')
    const text = page.getByRole('textbox', { name: 'Text of tenants/acme/tenant.cue' })
    await text.waitFor()
    await page.getByText('maxReplicas: 18').first().waitFor()
    await text.focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('// Kept by hand.\n')
    await page.getByText('The forms rest').waitFor()
    await page.getByText('can be saved').waitFor()
    assert.match(await page.locator('pre.diff').innerText(), /\+\/\/ Kept by hand\.[^]*\+.*maxReplicas: 18/)
    assert.deepEqual(await violations(page), [], 'text')
    await picture(page, 'editor-text')
    await save.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Branch' }).fill('by-hand')
    await page.keyboard.press('Enter')
    await dialog.getByText('of this clone and of its origin').waitFor()
    await page.keyboard.press('Escape')

    await open(page, '/applications/acme/shop/edit?field=components.web')
    await page.getByRole('button', { name: 'Rename web' }).click()
    await page.getByRole('textbox', { name: 'New name of web' }).fill('front')
    assert.deepEqual(await violations(page), [], 'renaming')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'Component front' }).waitFor()
    const ends = page.getByRole('region', { name: 'What ends' })
    await ends.getByText('Deployment shop-web').waitFor()
    await ends.getByText('The merge is all the confirmation').waitFor()
    assert.match(await page.locator('pre.diff').innerText(), /-\s+web: \{\n+\+\s+front: \{/)
    await picture(page, 'editor-renamed')
    await page.getByRole('button', { name: 'Undo' }).click()

    await open(page, '/applications/acme/shop/edit?field=components.credentials')
    const secret = page.locator('input[type=password]').first()
    await secret.waitFor()
    assert.equal(await secret.inputValue(), '', 'its value stays where it is')
    await secret.fill(hidden)
    await page.getByText('can be saved').waitFor()
    assert.match(await page.locator('pre.diff').innerText(), /\(hidden, another value\)/)
    const kept = await page.evaluate(() => JSON.stringify(localStorage) + document.body.innerText + location.href)
    assert.ok(!kept.includes(hidden), 'a browser keeps no secret, and shows none')
    await page.getByRole('button', { name: 'As text' }).click()
    await page.getByText('This file is not shown').waitFor()
    await settled(page)
  },
  { allowed: [/status of 40[049]/, /status of 503/] },
)
