// Words to describe and guess, by category: `word | alias, alias`. A raised dot parts the pieces of a closed compound.
// Within a category no two words mean the same, so that each can stand as a wrong choice for another.

export const things: Readonly<Record<string, string>> = {
  tool: `
    hammer | mallet
    saw | handsaw
    screw·driver
    wrench | spanner
    ladder | stepladder
    scissors | pair of scissors
    axe | hatchet, ax
    shovel | spade
    pliers | pair of pliers
    drill | power drill
    tape measure | measuring tape
    wheel·barrow
    broom | besom
    rake
    paint·brush
    chisel
    crow·bar | pry bar
  `,
  kitchen: `
    kettle | teakettle, tea kettle
    fork
    spoon
    frying pan | skillet, frypan
    toaster
    oven | stove
    refrigerator | fridge, icebox
    blender | liquidizer
    rolling pin
    cork·screw | wine opener, bottle opener
    colander | strainer, sieve
    apron
    dish·washer
    tea·pot
    grater | cheese grater
    ladle | soup ladle
    can opener | tin opener
  `,
  clothing: `
    glove | mitten
    scarf
    belt
    sock
    hat | cap
    tie | necktie
    rain·coat | mackintosh, mac
    swim·suit | bathing suit, swimming costume
    boot | wellington
    dress | gown, frock
    sweater | jumper, pullover
    pajamas | pyjamas, nightclothes
    jeans | denims, blue jeans, denim trousers
    sandal | flip-flop
    vest | waistcoat
    skirt
    shawl
  `,
  household: `
    pillow | cushion
    curtain | drape
    candle
    sofa | couch, settee
    mirror | looking glass
    umbrella | parasol
    clock | timepiece
    key
    carpet | rug
    book·case | bookshelf, bookshelves
    door·bell
    bath·tub | bath, tub
    tooth·brush
    soap | bar of soap
    towel
    vacuum cleaner | hoover, vacuum
    blanket
    bucket | pail
  `,
  machine: `
    computer | laptop, desktop, PC
    telephone | phone, cellphone, mobile phone
    camera
    television | TV, telly, television set
    washing machine | washer
    elevator | lift
    escalator | moving staircase, moving stairs
    printer
    radio
    calculator
    microscope
    tele·scope
    sewing machine
    traffic light | stoplight, traffic signal
    wind·mill
    robot | android
    lawn mower | lawnmower, mower
    crane
  `,
  vehicle: `
    bicycle | bike, pushbike
    helicopter | chopper
    submarine | sub
    train | railway train
    ambulance
    tractor
    sail·boat | sailing boat
    rocket | spaceship, spacecraft
    bus | coach
    motor·cycle | motorbike
    hot air balloon | balloon, aerostat
    skate·board
    fire engine | fire truck
    canoe | kayak
    taxi | cab, taxicab
    air·plane | plane, aeroplane, aircraft
    bull·dozer
    sled | sledge, sleigh, toboggan
  `,
  instrument: `
    piano
    guitar
    violin | fiddle
    trumpet
    drum
    flute
    harp
    accordion | squeezebox
    bagpipes | bagpipe
    cello
    saxophone | sax
    tambourine
    xylophone
    harmonica | mouth organ
    clarinet
    banjo
    organ | pipe organ
  `,
  sport: `
    tennis
    swimming | swim
    soccer | football
    boxing
    golf
    archery
    skiing | ski
    basket·ball
    fencing
    rowing
    surfing | surf
    chess
    bowling | tenpin bowling, ten-pin bowling
    gymnastics
    volley·ball
    base·ball
    sky·diving | parachuting
  `,
  "small thing": `
    coin
    wallet | billfold
    newspaper
    envelope
    stamp | postage stamp
    pencil
    ruler
    back·pack | rucksack, knapsack
    note·book
    magnet
    battery
    balloon
    kite
    puzzle | jigsaw, jigsaw puzzle
    doll
    necklace
    compass
    wrist·watch | watch
  `,
};
