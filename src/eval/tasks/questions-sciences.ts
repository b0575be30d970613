// Questions as `question | right | wrong | wrong | wrong`, one a line.

export const sciences: Readonly<Record<string, string>> = {
  mathematics: `
    What is the sum of the whole numbers from 1 to 20? | 210 | 200 | 190 | 220
    A right triangle has legs of length 9 and 12. How long is its hypotenuse? | 15 | 21 | 13 | 18
    What is 17 times 23? | 391 | 381 | 401 | 371
    How many prime numbers are there below 20? | 8 | 7 | 9 | 10
    What is the greatest common divisor of 84 and 126? | 42 | 21 | 14 | 63
    A fair die is thrown twice. What is the probability that the sum is 7? | 1/6 | 1/12 | 7/36 | 1/7
    What are the solutions of x² − 5x + 6 = 0? | 2 and 3 | 1 and 6 | −2 and −3 | 1 and 5
    What is the slope of the line through the points (1, 2) and (4, 11)? | 3 | 9 | 1/3 | 13/5
    In how many orders can 5 different books stand on a shelf? | 120 | 25 | 60 | 720
    What is the derivative of x³ at x = 2? | 12 | 8 | 6 | 3
  `,
  physics: `
    A car drives 150 kilometers in 2.5 hours. What is its average speed in kilometers per hour? | 60 | 75 | 50 | 375
    What force gives a mass of 4 kilograms an acceleration of 3 meters per second squared? | 12 newtons | 7 newtons | 0.75 newtons | 1.33 newtons
    A current of 2 amperes flows through a resistor of 6 ohms. What is the voltage across it? | 12 volts | 3 volts | 8 volts | 0.33 volts
    Two resistors of 6 ohms each are connected in parallel. What is their total resistance? | 3 ohms | 12 ohms | 6 ohms | 36 ohms
    What is the SI unit of power? | The watt | The joule | The newton | The pascal
    What kind of lens makes parallel rays of light meet in one point? | A converging lens | A diverging lens | A flat pane | A concave lens
    A body of mass 2 kilograms moves at 3 meters per second. What is its kinetic energy? | 9 joules | 6 joules | 18 joules | 12 joules
    What happens to the volume of a fixed amount of ideal gas when its pressure doubles at constant temperature? | It halves | It doubles | It stays the same | It quadruples
    In which of these does sound travel fastest? | Steel | Air | Water | A vacuum
    Which particles carry the electric current in a copper wire? | Electrons | Protons | Neutrons | Photons
  `,
  chemistry: `
    What is the chemical formula of table salt? | NaCl | KCl | NaOH | CaCl₂
    How many hydrogen atoms are in one molecule of methane? | 4 | 2 | 3 | 6
    What is the pH of a neutral solution at 25 degrees Celsius? | 7 | 0 | 1 | 14
    Which gas makes up most of dry air? | Nitrogen | Oxygen | Carbon dioxide | Argon
    What is formed when an acid reacts with a base? | A salt and water | Hydrogen and oxygen | A metal and water | An oxide and hydrogen
    How many protons does an atom of carbon have? | 6 | 12 | 14 | 8
    Which of these is a noble gas? | Neon | Chlorine | Nitrogen | Hydrogen
    What is the molar mass of water, rounded to whole grams per mole? | 18 | 16 | 20 | 34
    What kind of bond holds the two atoms of an oxygen molecule together? | A covalent bond | An ionic bond | A metallic bond | A hydrogen bond
    What is the change from solid directly to gas called? | Sublimation | Condensation | Fusion | Deposition
  `,
  biology: `
    Which organelle is the main site of ATP production in animal cells? | The mitochondrion | The nucleus | The ribosome | The Golgi apparatus
    Which base pairs with adenine in DNA? | Thymine | Cytosine | Guanine | Uracil
    How many chromosomes does a normal human body cell have? | 46 | 23 | 44 | 48
    Which gas do plants take up for photosynthesis? | Carbon dioxide | Oxygen | Nitrogen | Methane
    Two heterozygous parents (Aa) have children. What share of them is expected to be homozygous recessive? | One quarter | One half | Three quarters | None
    Which blood vessels carry blood away from the heart? | Arteries | Veins | Capillaries | Venules
    Which of these animals is a mammal? | The bat | The penguin | The shark | The frog
    Where in a cell are proteins made? | At the ribosomes | In the lysosomes | In the vacuole | At the cell wall
    Which cells of the human blood carry oxygen? | Red blood cells | White blood cells | Platelets | Plasma cells
    What is the process called by which a body cell divides into two genetically equal cells? | Mitosis | Meiosis | Osmosis | Fertilization
  `,
  "earth science": `
    Which layer of the Earth is liquid? | The outer core | The inner core | The crust | The lithosphere
    Which kind of rock forms when magma cools? | Igneous rock | Sedimentary rock | Metamorphic rock | Fossil rock
    What causes the seasons on Earth? | The tilt of the Earth's axis | The distance to the Sun | The phases of the Moon | The tides
    Which planet is closest to the Sun? | Mercury | Venus | Earth | Mars
    At which moon phase can a solar eclipse happen? | New moon | Full moon | First quarter | Last quarter
    Into what does limestone change under heat and pressure? | Marble | Granite | Basalt | Sandstone
    Which line of latitude lies at 0 degrees? | The equator | The Tropic of Cancer | The Arctic Circle | The Tropic of Capricorn
    Which planet of the solar system is the largest? | Jupiter | Saturn | Neptune | Earth
    How long does the Moon take for one orbit around the Earth, roughly? | 27 days | 24 hours | 7 days | 365 days
    Which instrument records earthquakes? | The seismograph | The barometer | The hygrometer | The anemometer
  `,
  "computer science": `
    What is the binary number 10110 in decimal? | 22 | 18 | 26 | 20
    How many different values can one byte of 8 bits hold? | 256 | 255 | 128 | 512
    What is the worst-case time of binary search in a sorted list of n items? | O(log n) | O(n) | O(1) | O(n log n)
    Which data structure gives back the item that was put in last? | A stack | A queue | A heap | A hash table
    What is the hexadecimal number 2F in decimal? | 47 | 32 | 42 | 57
    What is the value of the logical expression "true and (false or not false)"? | True | False | Undefined | Neither true nor false
    How many edges does a tree with 12 nodes have? | 11 | 12 | 13 | 24
    How many comparisons does it take at least, in the worst case, to find the largest of 8 different numbers? | 7 | 8 | 3 | 28
    Which protocol turns domain names into IP addresses? | DNS | SMTP | DHCP | FTP
    What does a compiler do? | It translates source code into another language, such as machine code | It stores files on a disk | It connects a computer to a network | It draws the windows on the screen
  `,
};
